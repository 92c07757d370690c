package stdlib

import (
	"os"
	"syscall"
)

// Magic numbers of the file systems whose files are not data but a door into
// the kernel or into other processes (statfs(2)).
var pseudo = map[int64]bool{
	0x9fa0:     true, // proc
	0x62656572: true, // sysfs
	0x1cd1:     true, // devpts
	0x64626720: true, // debugfs
	0x74726163: true, // tracefs
	0x27e0eb:   true, // cgroup
	0x63677270: true, // cgroup2
	0x73636673: true, // securityfs
	0xcafe4a11: true, // bpf
	0x62656570: true, // configfs
	0xde5e81e4: true, // efivarfs
	0xf97cff8c: true, // selinuxfs
	0x6e736673: true, // nsfs
	0x50495045: true, // pipefs
	0x534f434b: true, // sockfs
}

// isPseudo reports whether an open file or directory is of such a file system.
// If that cannot be told it is.
func isPseudo(f *os.File) bool {
	conn, err := f.SyscallConn()
	if err != nil {
		return true
	}
	yes := true
	err = conn.Control(func(fd uintptr) {
		var stat syscall.Statfs_t
		if syscall.Fstatfs(int(fd), &stat) == nil {
			yes = pseudo[int64(uint32(stat.Type))]
		}
	})
	return err != nil || yes
}

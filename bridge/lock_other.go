//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package bridge

import "os"

// lock does nothing where the standard library knows no file locks: each line
// of a ledger is still one write to a file opened for appending.
func lock(*os.File, bool) error { return nil }

func unlock(*os.File) {}

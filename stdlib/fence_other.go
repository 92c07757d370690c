//go:build !unix

package stdlib

import "io/fs"

const withoutBlocking = 0

// links cannot count the names of a file here: the fence is [os.Root] alone.
func links(fs.FileInfo) uint64 { return 1 }

package eval

import (
	"io"
	"io/fs"
	"time"
)

// Host is the world a program runs against: its streams, its arguments and
// environment, its clock and its files. The zero value of a field means "none":
// no input, no output, no files.
type Host struct {
	// Stdin is best a *bufio.Reader: verbs that read it one after the other then
	// share its buffer.
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// Args are the arguments, the program itself first.
	Args []string
	Env  func(name string) (string, bool)
	Now  func() time.Time
	// Dir is the folder that relative paths start from.
	Dir string
	// Files serves reads of sources (imports, embedded blocks).
	Files fs.FS
}

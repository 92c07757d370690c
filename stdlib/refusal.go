package stdlib

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/koru-go/koru/eval"
)

// refusal is a failure in the words that programs and models read
// (bridge.md 10.4). The texts are fixed: they never carry a path, so nothing
// that was written into a path comes back in a message.
type refusal string

func (r refusal) Error() string { return string(r) }

const (
	notFound    = refusal("File not found")
	denied      = refusal("Access denied")
	isDirectory = refusal("Path is a directory")
	notOpened   = refusal("Failed to open file")
	notRead     = refusal("Failed to read file")
	notWritten  = refusal("Failed to write file")
	noDirectory = refusal("Not a directory")
	escapes     = refusal("path escapes the dir")

	// The ones below are not in bridge.md: they name what the fence refuses
	// beyond it.
	notRegular  = refusal("Not a regular file")
	hardLinked  = refusal("File has more than one hard link")
	isLink      = refusal("Path is a symbolic link")
	tooLarge    = refusal("File is too large")
	tooLong     = refusal("Path is too long")
	manyLines   = refusal("File has too many lines")
	longLine    = refusal("Line is too long")
	manyEntries = refusal("Directory has too many entries")
	isClosed    = refusal("Directory is closed")

	inputTooLarge = refusal("Input is too large")
)

// reason returns the refusal that fits an error of the operating system, or
// other if none does.
func reason(err error, other refusal) refusal {
	var r refusal
	switch {
	case errors.As(err, &r):
		return r
	case errors.Is(err, fs.ErrNotExist):
		return notFound
	case errors.Is(err, fs.ErrPermission):
		return denied
	case errors.Is(err, fs.ErrClosed):
		return isClosed
	case errors.Is(err, syscall.ENOTDIR):
		return noDirectory
	case errors.Is(err, syscall.EISDIR):
		return isDirectory
	case errors.Is(err, syscall.ENAMETOOLONG):
		return tooLong
	}
	return other
}

// failed is the outcome that carries a refusal.
func failed(err error, other refusal) (eval.Outcome, error) {
	return eval.Delivered("failed", eval.StringValue(string(reason(err, other)))), nil
}

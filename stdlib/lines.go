package stdlib

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"github.com/koru-go/koru/eval"
)

// lineReader cuts text into lines (bridge.md 10.2): a line ends at LF, a CR
// before the LF belongs to the end, and a trailing LF adds no empty line.
type lineReader struct {
	from interface {
		ReadSlice(delim byte) ([]byte, error)
	}
	long []byte // the line so far, when it does not fit the buffer
}

func linesOf(r io.Reader) *lineReader {
	return &lineReader{from: bufio.NewReaderSize(r, 32<<10)}
}

// next returns the next line without its end, or io.EOF.
func (l *lineReader) next() (string, error) {
	l.long = l.long[:0]
	for {
		part, err := l.from.ReadSlice('\n')
		if err == nil && len(l.long) == 0 {
			return string(withoutEnd(part)), nil
		}
		l.long = append(l.long, part...)
		switch {
		case len(l.long) > MaxFile:
			return "", longLine
		case err == nil:
			return string(withoutEnd(l.long)), nil
		case err == io.EOF && len(l.long) > 0:
			return string(l.long), nil
		case err != bufio.ErrBufferFull:
			return "", err
		}
	}
}

func withoutEnd(line []byte) []byte {
	line = line[:len(line)-1]
	return bytes.TrimSuffix(line, []byte{'\r'})
}

// stdinLines cuts standard input into lines. Verbs that follow each other share
// what is buffered only if the host's reader holds the buffer, as [bufio.Reader]
// does; from any other reader each line is taken byte by byte, so that nothing
// that belongs to the next verb is read.
func stdinLines(c *eval.Call) *lineReader {
	switch in := c.Host.Stdin.(type) {
	case nil:
		return linesOf(strings.NewReader(""))
	case *bufio.Reader:
		return &lineReader{from: in}
	default:
		return &lineReader{from: &frugalReader{from: in}}
	}
}

// frugalReader never reads past the delimiter.
type frugalReader struct {
	from io.Reader
	buf  []byte
}

// ReadSlice is [bufio.Reader.ReadSlice] with a buffer of 4 KiB.
func (r *frugalReader) ReadSlice(delim byte) ([]byte, error) {
	r.buf = r.buf[:0]
	var one [1]byte
	for len(r.buf) < 4096 {
		n, err := r.from.Read(one[:])
		if n == 1 {
			r.buf = append(r.buf, one[0])
			if one[0] == delim {
				return r.buf, nil
			}
		}
		if err != nil {
			return r.buf, err
		}
	}
	return r.buf, bufio.ErrBufferFull
}

// fireLines fires the effect line for every line and counts them.
func fireLines(c *eval.Call, l *lineReader) (eval.Outcome, error) {
	for n := int64(0); ; n++ {
		line, err := l.next()
		if err == io.EOF {
			return eval.Delivered("done", eval.IntValue(n)), nil
		}
		if err != nil {
			return failed(err, notRead)
		}
		if err := c.Context.Err(); err != nil {
			return eval.Outcome{}, err
		}
		if _, err := c.Fire("line", eval.StringValue(line)); err != nil {
			return eval.Outcome{}, err
		}
	}
}

// splitLines cuts a text into lines without copying it.
func splitLines(text string) ([]eval.Value, error) {
	count := strings.Count(text, "\n")
	if count > MaxLines {
		return nil, manyLines
	}
	lines := make([]eval.Value, 0, count+1)
	for text != "" {
		line, rest, ended := strings.Cut(text, "\n")
		if ended {
			line = strings.TrimSuffix(line, "\r")
		}
		lines = append(lines, eval.StringValue(line))
		text = rest
	}
	return lines, nil
}

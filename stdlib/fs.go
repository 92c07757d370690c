package stdlib

import (
	"errors"

	"github.com/koru-go/koru/eval"
)

var fsVerbs = map[string]eval.Func{
	"dir":           fsDir,
	"list":          withDir(fsList),
	"read":          withDir(fsRead),
	"write":         withDir(fsWrite),
	"collect-lines": withDir(fsCollectLines),
	"read-lines-in": withDir(fsReadLinesIn),
	"close":         withDir(fsClose),
	"read-lines":    fsReadLines,
	"write-file":    fsWriteFile,
}

// fsDir mints the capability. The handle has no token yet: the session, which
// names handles, gives it one.
func fsDir(c *eval.Call) (eval.Outcome, error) {
	path, err := hostPath(c, c.Arg("path").Str())
	if err != nil {
		return failed(err, notOpened)
	}
	d, err := OpenDir(path)
	if err != nil {
		return failed(err, notOpened)
	}
	return eval.Delivered("opened", eval.HandleValue("", d)), nil
}

// withDir gives a body the directory behind its field d.
func withDir(body func(*eval.Call, *Dir) (eval.Outcome, error)) eval.Func {
	return func(c *eval.Call) (eval.Outcome, error) {
		d, ok := c.Arg("d").Object().(*Dir)
		if !ok {
			return eval.Outcome{}, errors.New("'d' wants an open directory of std/fs")
		}
		return body(c, d)
	}
}

func fsList(_ *eval.Call, d *Dir) (eval.Outcome, error) {
	names, err := d.names()
	if err != nil {
		return failed(err, notRead)
	}
	return eval.Delivered("entries", textList(names)), nil
}

func fsRead(c *eval.Call, d *Dir) (eval.Outcome, error) {
	text, err := d.text(c.Arg("path").Str())
	if err != nil {
		return failed(err, notOpened)
	}
	return eval.Delivered("content", eval.StringValue(text)), nil
}

// text reads a whole file.
func (d *Dir) text(path string) (string, error) {
	f, err := d.open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := readAll(f)
	if err != nil {
		return "", reason(err, notRead)
	}
	return text, nil
}

func fsWrite(c *eval.Call, d *Dir) (eval.Outcome, error) {
	if err := d.write(c.Arg("path").Str(), c.Arg("content").Str()); err != nil {
		return failed(err, notWritten)
	}
	return eval.Fired("written"), nil
}

func fsCollectLines(c *eval.Call, d *Dir) (eval.Outcome, error) {
	text, err := d.text(c.Arg("path").Str())
	if err != nil {
		return failed(err, notOpened)
	}
	lines, err := splitLines(text)
	if err != nil {
		return failed(err, notRead)
	}
	return eval.Delivered("lines", eval.ListValue(lines)), nil
}

func fsReadLinesIn(c *eval.Call, d *Dir) (eval.Outcome, error) {
	f, err := d.open(c.Arg("path").Str())
	if err != nil {
		return failed(err, notOpened)
	}
	defer f.Close()
	return fireLines(c, linesOf(f))
}

func fsClose(_ *eval.Call, d *Dir) (eval.Outcome, error) { return eval.Outcome{}, d.Close() }

func fsReadLines(c *eval.Call) (eval.Outcome, error) {
	f, err := openHostFile(c, c.Arg("path").Str())
	if err != nil {
		return failed(err, notOpened)
	}
	defer f.Close()
	return fireLines(c, linesOf(f))
}

func fsWriteFile(c *eval.Call) (eval.Outcome, error) {
	if err := writeHostFile(c, c.Arg("path").Str(), c.Arg("content").Str()); err != nil {
		return failed(err, notWritten)
	}
	return eval.Fired("written"), nil
}

func textList(words []string) eval.Value {
	elems := make([]eval.Value, len(words))
	for i, w := range words {
		elems[i] = eval.StringValue(w)
	}
	return eval.ListValue(elems)
}

package lsp

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/koru-go/koru/lsp/view"
)

// mostOutput is how much of what a program writes is kept for the user.
const mostOutput = 1 << 20

// Child returns what runs a program in a process of its own: the command, with
// the entry file behind it. The process ends with the request that started it,
// when that is cancelled, and with the server.
func Child(command ...string) func(ctx context.Context, entry, dir string) (*view.Ran, error) {
	return func(ctx context.Context, entry, dir string) (*view.Ran, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		out := &tail{}
		cmd := exec.CommandContext(ctx, command[0], append(command[1:len(command):len(command)], native(entry))...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = native(dir), out, out
		cmd.WaitDelay = time.Second
		diesWithUs(cmd)
		err := cmd.Run()
		var ended *exec.ExitError
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, &ended):
			return &view.Ran{Output: out.String(), Code: ended.ExitCode()}, nil
		case err != nil:
			return nil, fmt.Errorf("the program could not be started: %w", err)
		}
		return &view.Ran{Output: out.String()}, nil
	}
}

// native returns the path of a file as the system writes it. Slash paths of a
// drive begin with a slash: /c:/work.
func native(name string) string {
	if len(name) > 2 && name[0] == '/' && name[2] == ':' {
		name = name[1:]
	}
	return filepath.FromSlash(name)
}

// tail keeps the end of what is written to it.
type tail struct {
	kept    []byte
	dropped bool
}

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - mostOutput; over > 0 {
		t.kept, t.dropped = append(t.kept[:0], t.kept[over:]...), true
	}
	return len(p), nil
}

func (t *tail) String() string {
	text := strings.ToValidUTF8(string(t.kept), "\uFFFD")
	if t.dropped {
		return "…" + text
	}
	return text
}

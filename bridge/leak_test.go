package bridge

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/koru-go/koru/eval"
)

// Sessions behind doors, many at once, each with a world and with calls that
// the other side serves: whichever way they end, their goroutines and files go
// with them.
func TestNothingLeaks(t *testing.T) {
	program := compile(t, bell, (&kitchen{quiet: true}).bodies())
	dir := t.TempDir()
	goroutines, files := runtime.NumGoroutine(), openFiles()
	var wg sync.WaitGroup
	var mu sync.Mutex
	var opened []*Bridge // kept, so that no finalizer closes what a session left open
	for n := range 40 {
		for _, leave := range []func(*caller){
			func(c *caller) { c.say(`{"id":9,"op":"close"}`, `{"id":10,"op":"held"}`) },
			func(c *caller) { c.in.Close() },
			func(c *caller) { c.cancel() },
			func(c *caller) { c.out.Close(); c.say(`{"id":9,"op":"held"}`) },
			func(c *caller) { c.say(`{"id":9,"source":"dial(number: \"never answered\") | busy |>"}`); c.cancel() },
			func(c *caller) { c.say(`{"id":9,"source":"dial(number: \"never answered\") | busy |>"}`); c.in.Close() },
		} {
			wg.Go(func() {
				b := visit(t, program, filepath.Join(dir, fmt.Sprint("w", n%8)), leave)
				mu.Lock()
				defer mu.Unlock()
				opened = append(opened, b)
			})
		}
	}
	wg.Wait()
	settled(t, "goroutines", goroutines, runtime.NumGoroutine)
	settled(t, "open files", files, openFiles)
	runtime.KeepAlive(opened)
}

// caller is the other side of a door. It answers every call but those that are
// never answered, and does not care what else it hears.
type caller struct {
	in     *io.PipeWriter
	out    *io.PipeReader
	cancel context.CancelFunc
}

func (c *caller) say(lines ...string) {
	for _, line := range lines {
		if _, err := io.WriteString(c.in, line+"\n"); err != nil {
			return // nobody listens any more
		}
	}
}

// visit opens a session, has it make two calls, leaves, and returns it.
func visit(t *testing.T, program *eval.Program, world string, leave func(*caller)) *Bridge {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := &caller{in: inW, out: outR, cancel: cancel}
	d := NewDoor(inR, outW, time.Minute)
	b, err := Create(Options{ID: "t", Program: program, Scope: "bell", World: world, Serve: d.Serve, Log: io.Discard})
	if err != nil {
		t.Error(err)
		return nil
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = d.Open(ctx, b) // what strands is not at issue here
		outW.Close()
		inR.Close()
	}()
	go c.say(`{"id":1,"source":"dial(number: \"12\") | line l |> talk(line: l, text: \"hi\")"}`)
	answered := false
	for lines := bufio.NewScanner(outR); !answered && lines.Scan(); {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, `{"dispatch":1,`):
			go c.say(`{"dispatch":1,"branch":"line","value":"conn"}`)
		case strings.HasPrefix(line, `{"dispatch":2,`):
			go c.say(`{"dispatch":2,"value":5}`)
		default:
			answered = strings.Contains(line, `"tier":"result"`)
		}
	}
	if !answered {
		t.Error("the reply was not answered")
	}
	go io.Copy(io.Discard, outR)
	leave(c)
	if strings.HasSuffix(world, "3") {
		cancel() // twice is as good as once
	}
	c.in.Close()
	<-ended
	return b
}

// openFiles returns how many files the process has open, or 0 where that
// cannot be told.
func openFiles() int {
	names, _ := os.ReadDir("/proc/self/fd")
	return len(names)
}

// settled waits until a count is back where it was. What has been told to end
// may take a moment; what leaks never comes back.
func settled(t *testing.T, what string, before int, count func() int) {
	t.Helper()
	for range 500 {
		if count() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	stacks := make([]byte, 1<<20)
	t.Errorf("%d %s, %d before\n%s", count(), what, before, stacks[:runtime.Stack(stacks, true)])
}

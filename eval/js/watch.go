package js

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/dop251/goja"
)

// watch ends a body that runs too long, uses too much memory, or is no longer
// wanted. It looks every few milliseconds; a body that is done before the first
// look costs one timer.
type watch struct {
	vm     *goja.Runtime
	ctx    context.Context
	time   time.Duration
	memory uint64

	mu      sync.Mutex
	timer   *time.Timer
	resumed time.Time     // when the body last took over
	spent   time.Duration // its own time before that
	outside bool          // a handler of the caller runs, not the body
	stopped bool
	cut     bool // the body was interrupted
	base    uint64
}

const (
	watchEvery  = 5 * time.Millisecond
	heapObjects = "/memory/classes/heap/objects:bytes"
	heapStacks  = "/memory/classes/heap/stacks:bytes"
)

// stopping is why a body was ended; it is the value of the engine's
// InterruptedError.
type stopping struct{ reason string }

func (w *watch) start() {
	w.resumed = time.Now()
	w.mu.Lock()
	w.timer = time.AfterFunc(watchEvery, w.look)
	w.mu.Unlock()
}

// stop ends the watch. After it returns the engine is not interrupted any more;
// it reports whether it was.
func (w *watch) stop() (cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.timer.Stop()
	return w.cut
}

// pause and resume stand around the caller's handlers, whose time is not the
// body's.
func (w *watch) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spent += time.Since(w.resumed)
	w.outside = true
}

func (w *watch) resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.resumed = time.Now()
	w.outside = false
}

func (w *watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return
	}
	if reason := w.judge(); reason != nil {
		w.cut = true
		w.vm.Interrupt(reason)
		return
	}
	w.timer.Reset(watchEvery)
}

// judge returns why the body must end now, or nil.
func (w *watch) judge() any {
	if w.outside {
		return nil
	}
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if w.spent+time.Since(w.resumed) > w.time {
		return stopping{fmt.Sprintf("ran for more than %v", w.time)}
	}
	used := memoryInUse()
	if w.base == 0 {
		w.base = used
	}
	if used <= w.base+w.memory {
		return nil
	}
	// Much of it may be garbage, or another body's.
	runtime.GC()
	if memoryInUse() > w.base+w.memory {
		return stopping{fmt.Sprintf("used more than %d MiB of memory", w.memory>>20)}
	}
	return nil
}

// memoryInUse is what the whole process has in objects and stacks: the engine
// does not count what belongs to it.
func memoryInUse() uint64 {
	sample := [2]metrics.Sample{{Name: heapObjects}, {Name: heapStacks}}
	metrics.Read(sample[:])
	return sample[0].Value.Uint64() + sample[1].Value.Uint64()
}

package lsp

import (
	"bufio"
	"errors"
	"io"
	"sync"
	"time"
)

// outbox writes messages in the order in which they are put in, on a goroutine
// of its own. Nothing waits for it, least of all the goroutine that reads: a
// client that writes a lot before it reads anything would block a server that
// answers before it reads on, and both would wait for ever.
type outbox struct {
	mu    sync.Mutex
	queue []piece
	size  int           // bytes in the queue
	err   error         // why nothing is written any more
	more  chan struct{} // has room for one: there is something in the queue
	ended bool
}

// piece is a part of a message, or somebody who waits for what is before it.
type piece struct {
	text    []byte
	written chan struct{}
}

// maxWaiting bounds what is kept for a client that does not read.
const maxWaiting = 512 << 20

var errDeaf = errors.New("the client does not read what it is sent")

func newOutbox(w io.Writer) *outbox {
	o := &outbox{more: make(chan struct{}, 1)}
	go o.run(bufio.NewWriterSize(w, 64<<10))
	return o
}

// put appends a message, which the caller must leave alone from then on. The
// error is that of an earlier write.
func (o *outbox) put(message ...[]byte) error {
	pieces := make([]piece, len(message))
	for i, text := range message {
		pieces[i].text = text
	}
	return o.append(pieces...)
}

func (o *outbox) append(pieces ...piece) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return o.err
	}
	for _, p := range pieces {
		o.size += len(p.text)
	}
	if o.size > maxWaiting {
		o.err, o.queue = errDeaf, nil
		return o.err
	}
	o.queue = append(o.queue, pieces...)
	select {
	case o.more <- struct{}{}:
	default:
	}
	return nil
}

func (o *outbox) run(w *bufio.Writer) {
	for range o.more {
		o.mu.Lock()
		pieces := o.queue
		o.queue, o.size = nil, 0
		o.mu.Unlock()
		if err := writeAll(w, pieces); err != nil {
			o.mu.Lock()
			o.err, o.queue = err, nil
			o.mu.Unlock()
			return
		}
	}
}

func writeAll(w *bufio.Writer, pieces []piece) error {
	for _, p := range pieces {
		if p.written != nil {
			if err := w.Flush(); err != nil {
				return err
			}
			close(p.written)
			continue
		}
		if _, err := w.Write(p.text); err != nil {
			return err
		}
	}
	return w.Flush()
}

// end writes what is still to be written, as far as the client reads it in the
// given time, and nothing after that.
func (o *outbox) end(patience time.Duration) {
	written := make(chan struct{})
	if o.append(piece{written: written}) == nil {
		select {
		case <-written:
		case <-time.After(patience):
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = io.ErrClosedPipe
	}
	if o.queue = nil; !o.ended {
		o.ended = true
		close(o.more)
	}
}

package bridge

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// maxLine bounds one line of the protocol (R79).
const maxLine = 1 << 20

// Door is one session behind a line protocol: a JSON object a line, both ways.
// Requests are served one at a time in the order of their lines; a cancel and
// the answer to a dispatched call are taken as soon as they are read.
type Door struct {
	in      *bufio.Reader
	timeout time.Duration

	outMu sync.Mutex
	out   io.Writer
	buf   []byte

	mu      sync.Mutex
	ready   *sync.Cond
	queue   []request
	ended   bool // no line comes any more
	running string
	cancel  context.CancelFunc
	asked   int64 // calls dispatched so far
	waiting map[int64]chan request
	early   map[int64]request // answers to calls that have not been made yet
}

// maxEarly bounds how many answers may come before their calls. A script that
// knows its session writes them all at once.
const maxEarly = 1024

// NewDoor returns a door over a pair of streams. A reply that runs longer than
// timeout is stopped; 0 is no bound.
func NewDoor(in io.Reader, out io.Writer, timeout time.Duration) *Door {
	d := &Door{in: bufio.NewReader(in), out: out, timeout: timeout, waiting: map[int64]chan request{}, early: map[int64]request{}}
	d.ready = sync.NewCond(&d.mu)
	return d
}

// request is one line that came in.
type request struct {
	ID     json.RawMessage `json:"id"`
	Op     string          `json:"op"`
	Source *string         `json:"source"`

	Dispatch *int64          `json:"dispatch"`
	Branch   string          `json:"branch"`
	Value    json.RawMessage `json:"value"`
	Failed   *string         `json:"failed"`

	fault     string // why the line is no request
	cancelled bool
}

func (r *request) id() string {
	if len(r.ID) == 0 {
		return "null"
	}
	return string(r.ID)
}

// Open serves the session until the input ends, a request closes it or ctx is
// done, and closes it. The error says what could not be let go of, or what is
// wrong with the streams. A read of the input that waits for a line when Open
// returns ends with that line or with the input, which its owner closes.
func (d *Door) Open(ctx context.Context, b *Bridge) error {
	go d.read()
	defer d.end()
	stop := context.AfterFunc(ctx, d.end)
	defer stop()
	for {
		r, ok := d.next()
		if !ok {
			return b.CloseContext(context.WithoutCancel(ctx))
		}
		if r.fault == "" && r.Op == "close" {
			err := b.CloseContext(ctx)
			d.write(func(dst []byte) []byte { return d.closed(dst, &r, err) })
			d.end()
			return err
		}
		if err := d.serve(ctx, b, &r); err != nil {
			b.CloseContext(context.WithoutCancel(ctx))
			return err
		}
	}
}

// end says that no line comes any more: calls that wait for an answer fail.
func (d *Door) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	for n, c := range d.waiting {
		close(c)
		delete(d.waiting, n)
	}
	d.ready.Broadcast()
}

// read takes lines until the input ends, or the session has.
func (d *Door) read() {
	defer d.end()
	for {
		line, long, err := d.line()
		if text := strings.TrimSpace(line); text != "" || long {
			if !d.take(text, long) {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// line reads one line. Of one that is too long it keeps nothing.
func (d *Door) line() (line string, long bool, err error) {
	var b strings.Builder
	for {
		part, err := d.in.ReadSlice('\n')
		if b.Len()+len(part) > maxLine+1 {
			long = true
			b.Reset()
		}
		if !long {
			b.Write(part)
		}
		if err != bufio.ErrBufferFull {
			return b.String(), long, err
		}
	}
}

// take decides what becomes of a line. It reports whether anybody still listens.
func (d *Door) take(line string, long bool) bool {
	r := parseRequest(line, long)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		return false
	}
	switch {
	case r.fault != "":
		d.queue = append(d.queue, r)
	case r.Dispatch != nil:
		d.answer(r)
	case r.Op == "cancel":
		d.cancelRequest(r)
	default:
		d.queue = append(d.queue, r)
	}
	d.ready.Broadcast()
	return true
}

// answer hands an answer to the call that waits for it, or keeps it for the
// call that will.
func (d *Door) answer(r request) {
	n := *r.Dispatch
	switch c := d.waiting[n]; {
	case c != nil:
		delete(d.waiting, n)
		c <- r
	case n > d.asked && len(d.early) < maxEarly:
		d.early[n] = r
	default:
		d.queue = append(d.queue, unasked(r))
	}
}

func unasked(r request) request {
	r.fault = fmt.Sprintf("no call %d waits for an answer", *r.Dispatch)
	return r
}

// cancelRequest stops the request of that id, whether it runs or waits.
func (d *Door) cancelRequest(r request) {
	if d.cancel != nil && d.running == r.id() {
		d.cancel()
		return
	}
	for i := range d.queue {
		if q := &d.queue[i]; q.fault == "" && q.id() == r.id() {
			q.cancelled = true
			return
		}
	}
	// It has been answered already, or never asked: there is nothing to stop.
}

// The requests that a session serves.
var ops = []string{"run", "cost", "vocabulary", "grammar", "manifest", "held", "bindings", "close", "cancel"}

func parseRequest(line string, long bool) request {
	if long {
		return request{fault: fmt.Sprintf("the line is longer than %d bytes", maxLine)}
	}
	var r request
	if err := json.Unmarshal([]byte(line), &r); err != nil || !strings.HasPrefix(line, "{") {
		return request{fault: badLine(err)}
	}
	if r.Dispatch != nil {
		return r
	}
	if r.Op == "" {
		r.Op = "run"
	}
	switch {
	case !contains(ops, r.Op):
		r.fault = fmt.Sprintf("unknown op '%s'", clip(r.Op, 40))
		if near := check.Nearest(r.Op, ops); near != "" {
			r.fault += " — did you mean '" + near + "'?"
		} else {
			r.fault += " — the ops are " + strings.Join(ops, ", ")
		}
	case r.Op == "run" && r.Source == nil:
		r.fault = `a run needs its reply: {"id":1,"source":"…"}`
	case r.Op == "cost" && r.Source == nil:
		r.fault = `a cost is that of a reply: {"id":1,"op":"cost","source":"…"}`
	}
	return r
}

// badLine says why a line is no request.
func badLine(err error) string {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Sprintf("'%s' cannot be a JSON %s", kind.Field, kind.Value)
	case err == nil || kind != nil:
		return `a line is one JSON object: {"id":1,"op":"run","source":"…"}`
	}
	return `the line is no JSON: ` + err.Error()
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

// next returns the next request, or false when there will be none.
func (d *Door) next() (request, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.queue) == 0 && !d.ended {
		d.ready.Wait()
	}
	if len(d.queue) == 0 {
		for _, n := range slices.Sorted(maps.Keys(d.early)) {
			d.queue = append(d.queue, unasked(d.early[n]))
		}
		clear(d.early)
	}
	if len(d.queue) == 0 {
		return request{}, false
	}
	r := d.queue[0]
	d.queue = d.queue[1:]
	return r, true
}

// serve answers one request.
func (d *Door) serve(ctx context.Context, b *Bridge, r *request) error {
	switch {
	case r.fault != "":
		return d.write(func(dst []byte) []byte {
			return appendText(append(dst, `{"id":`+r.id()...), `,"protocol_error":`, r.fault)
		})
	case r.Op == "run":
		t := d.run(ctx, b, r)
		return d.write(func(dst []byte) []byte {
			dst = append(append(dst, `{"id":`...), r.id()...)
			return t.AppendMembers(append(dst, ','))
		})
	}
	return d.write(func(dst []byte) []byte {
		dst = append(append(dst, `{"id":`...), r.id()...)
		dst = appendText(dst, `,"op":`, r.Op)
		return appendOp(dst, b, r)
	})
}

// run runs one reply; a cancel with its id, or the timeout, stops it.
func (d *Door) run(ctx context.Context, b *Bridge, r *request) *Turn {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if d.timeout > 0 {
		late := fmt.Errorf("the reply took longer than %v", d.timeout)
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, d.timeout, late)
		defer stop()
	}
	d.mu.Lock()
	d.running, d.cancel = r.id(), cancel
	d.mu.Unlock()
	if r.cancelled {
		cancel()
	}
	t := b.Run(ctx, *r.Source)
	d.mu.Lock()
	d.running, d.cancel = "", nil
	d.mu.Unlock()
	return t
}

// appendOp appends what an op of the host answers. It costs nothing, binds
// nothing and needs no introspection (R32).
func appendOp(dst []byte, b *Bridge, r *request) []byte {
	switch r.Op {
	case "cost":
		return appendCost(dst, b.CostOf(*r.Source))
	case "vocabulary":
		return appendText(dst, `,"text":`, b.Vocabulary())
	case "grammar":
		return appendText(dst, `,"text":`, b.Grammar())
	case "manifest":
		return append(append(dst, `,"manifest":`...), RenderManifest(b.Words())...)
	case "held":
		return appendList(dst, `,"held":[`, b.Held(), func(dst []byte, h Held) []byte { return h.AppendJSON(dst) })
	}
	return appendList(dst, `,"bindings":[`, b.Bindings(), func(dst []byte, v Binding) []byte {
		dst = appendText(dst, `{"name":`, v.Name)
		if v.Handle != "" {
			dst = appendText(dst, `,"handle":`, v.Handle)
		}
		dst = append(dst, `,"value":`...)
		return append(eval.AppendOutcomeJSON(dst, v.Outcome), '}')
	})
}

// closed answers a close.
func (d *Door) closed(dst []byte, r *request, err error) []byte {
	dst = append(append(dst, `{"id":`...), r.id()...)
	dst = append(dst, `,"op":"close"`...)
	if err != nil {
		dst = appendText(dst, `,"error":`, err.Error())
	}
	return dst
}

// write sends one object. members appends it without its closing brace.
func (d *Door) write(members func(dst []byte) []byte) error {
	d.outMu.Lock()
	defer d.outMu.Unlock()
	d.buf = append(members(d.buf[:0]), "}\n"...)
	_, err := d.out.Write(d.buf)
	if cap(d.buf) > maxLine {
		d.buf = nil
	}
	return err
}

// Serve is the [Server] of the session: it has the other side carry out the
// verbs that have no body here (R3).
func (d *Door) Serve(ctx context.Context, v *check.Verb, args []eval.Value) (eval.Outcome, error) {
	n, answer := d.ask()
	if answer == nil {
		return eval.Outcome{}, fmt.Errorf("the input has ended: nobody is there to carry out '%s'", v.Name)
	}
	err := d.write(func(dst []byte) []byte {
		dst = strconv.AppendInt(append(dst, `{"dispatch":`...), n, 10)
		dst = appendText(dst, `,"verb":`, v.Name)
		return appendArgs(append(dst, `,"args":{`...), v, args)
	})
	if err != nil {
		return eval.Outcome{}, err
	}
	select {
	case r, ok := <-answer:
		if !ok {
			return eval.Outcome{}, fmt.Errorf("the input ended before '%s' was answered", v.Name)
		}
		return r.outcome(v)
	case <-ctx.Done():
		d.mu.Lock()
		delete(d.waiting, n)
		d.mu.Unlock()
		return eval.Outcome{}, ctx.Err()
	}
}

// ask numbers a call and returns where its answer will come, or nil if none
// can come any more.
func (d *Door) ask() (n int64, answer chan request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked++
	answer = make(chan request, 1)
	if r, ok := d.early[d.asked]; ok {
		delete(d.early, d.asked)
		answer <- r
		return d.asked, answer
	}
	if d.ended {
		return 0, nil
	}
	d.waiting[d.asked] = answer
	return d.asked, answer
}

// appendArgs appends the arguments of a call. A host object that the other side
// named itself goes back under that name.
func appendArgs(dst []byte, v *check.Verb, args []eval.Value) []byte {
	first := true
	for i, f := range v.Tor.Fields {
		if args[i].IsNull() {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(eval.AppendQuoted(dst, f.Name), ':')
		dst = eval.AppendJSON(dst, named(args[i]))
	}
	return append(dst, '}')
}

func named(v eval.Value) eval.Value {
	if name, ok := v.Object().(string); ok {
		return eval.StringValue(name)
	}
	return v
}

// outcome reads the answer to a call.
func (r *request) outcome(v *check.Verb) (eval.Outcome, error) {
	if r.Failed != nil {
		return eval.Outcome{}, errors.New(*r.Failed)
	}
	if len(r.Value) == 0 {
		return eval.Fired(r.Branch), nil
	}
	value, err := eval.DecodeJSON(r.Value, eval.Limits{})
	if err != nil {
		return eval.Outcome{}, fmt.Errorf("the answer for '%s' cannot be read: %w", v.Name, err)
	}
	if value.IsNull() && !carries(v.Tor, r.Branch) {
		return eval.Fired(r.Branch), nil
	}
	return eval.Delivered(r.Branch, value), nil
}

// carries reports whether an outcome of a verb is declared with a payload.
func carries(t *check.Tor, branch string) bool {
	if o := t.Outcome(branch); o != nil {
		return o.Payload != nil
	}
	return t.Return != nil
}

package js

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/dop251/goja"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// MaxTime is the longest time a body may have.
const MaxTime = 10 * time.Second

// Target compiles |js bodies. The zero value is ready to use; a Target must not
// be copied after its first use.
type Target struct {
	// Time bounds one call, without the time of the caller's handlers. The
	// default, and the most, is [MaxTime].
	Time time.Duration
	// Memory bounds by how many bytes the process may grow during one call; the
	// default is 256 MiB.
	Memory uint64
	// Random serves Math.random; the default is a fixed sequence, so that a
	// program runs the same way twice.
	Random func() float64

	mu       sync.Mutex
	sequence *rand.Rand
}

var _ eval.Target = (*Target)(nil)

// Name returns the tag of the target.
func (t *Target) Name() string { return "js" }

// Compile parses and compiles a body; it does not run anything of it. The error
// is an *eval.BodyError.
func (t *Target) Compile(tor *check.Tor, proc *check.Proc) (eval.Func, error) {
	b := &body{target: t, tor: tor}
	params, err := b.params()
	if err != nil {
		return nil, err
	}
	var fault *eval.BodyError
	if b.source, fault = compileSource(params, proc.Body); fault != nil {
		return nil, fault
	}
	return b.run, nil
}

// body is a compiled body. It is immutable and serves any number of calls at
// the same time.
type body struct {
	target  *Target
	tor     *check.Tor
	effects []*check.Outcome
	source  *source
}

// variableOf returns the name that a body knows an input or an effect by.
func variableOf(name string) string {
	variable := snake(name)
	if reserved[variable] {
		variable += "_"
	}
	return variable
}

// params names the parameters of the wrapping function: the fields, then the
// effects.
func (b *body) params() ([]string, error) {
	var params []string
	taken := map[string]string{}
	add := func(what, name string) error {
		variable := variableOf(name)
		what += " '" + name + "'"
		if other, ok := taken[variable]; ok {
			return &eval.BodyError{Message: fmt.Sprintf("%s and %s of '%s' have the same name in a |js body: %s", other, what, b.tor.Name, variable)}
		}
		taken[variable] = what
		params = append(params, variable)
		return nil
	}
	for _, f := range b.tor.Fields {
		if err := add("the field", f.Name); err != nil {
			return nil, err
		}
	}
	for _, o := range b.tor.Outcomes {
		if !o.Effect {
			continue
		}
		b.effects = append(b.effects, o)
		if err := add("the effect", o.Name); err != nil {
			return nil, err
		}
	}
	return params, nil
}

// reserved are the words that cannot name a variable in strict code. A field or
// effect of such a name is a variable with an underscore after it: class_.
var reserved = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(`arguments await break case catch class const continue debugger default delete
		do else enum eval export extends false finally for function if import in instanceof let new null return
		static super switch this throw true try typeof var void while with yield`) {
		words[w] = true
	}
	return words
}()

// call is one call of a body.
type call struct {
	*eval.Call
	body    *body
	engine  *engine
	watch   watch
	handles map[*goja.Object]eval.Value
	minted  []lent
}

// run calls the body.
func (b *body) run(ec *eval.Call) (eval.Outcome, error) {
	c := &call{Call: ec, body: b, engine: acquire()}
	c.engine.call = c
	c.watch = watch{vm: c.engine.vm, ctx: context.Background(), time: MaxTime, memory: 256 << 20}
	if ec.Context != nil {
		c.watch.ctx = ec.Context
	}
	if t := b.target.Time; 0 < t && t < MaxTime {
		c.watch.time = t
	}
	if m := b.target.Memory; m > 0 {
		c.watch.memory = m
	}
	c.watch.start()
	outcome, err := c.perform()
	if cut := c.watch.stop(); !cut && (err == nil || !isBroken(err)) {
		c.engine.release()
	}
	return outcome, c.locate(err)
}

// perform does all that can run code of the body, and turns every way in which
// the engine can end into an error.
func (c *call) perform() (outcome eval.Outcome, err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case abort:
			err = broken{x.err}
		case error:
			err = broken{fmt.Errorf("the JavaScript engine failed in a |js body: %w", x)}
		default:
			err = broken{fmt.Errorf("the JavaScript engine failed in a |js body: %v", x)}
		}
	}()
	function, err := c.engine.vm.RunProgram(c.body.source.program)
	if err != nil {
		return eval.Outcome{}, err
	}
	args := make([]goja.Value, 0, len(c.body.tor.Fields)+len(c.body.effects))
	for _, v := range c.Args {
		args = append(args, c.in(v))
	}
	for _, e := range c.body.effects {
		args = append(args, c.effect(e))
	}
	callable, _ := goja.AssertFunction(function)
	result, err := callable(goja.Undefined(), args...)
	if err != nil {
		return eval.Outcome{}, c.explain(err)
	}
	ex := c.engine.vm.Try(func() {
		if result, err = settled(result); err != nil {
			return
		}
		if outcome, err = c.outcome(result); err == nil {
			err = c.keep()
		}
	})
	if ex != nil {
		return eval.Outcome{}, c.explain(ex)
	}
	return outcome, err
}

// settled returns the value of a promise: a body may be written with async
// functions, though there is nothing for it to wait for.
func settled(v goja.Value) (goja.Value, error) {
	for {
		object, ok := v.(*goja.Object)
		if !ok || kindOf(object) != "a Promise" {
			return v, nil
		}
		promise := object.Export().(*goja.Promise)
		switch promise.State() {
		case goja.PromiseStateRejected:
			panic(promise.Result())
		case goja.PromiseStatePending:
			return nil, &misuse{message: "the |js body returned a promise that nothing settles"}
		}
		v = promise.Result()
	}
}

// broken is an error after which the engine is not used again.
type broken struct{ error }

func (b broken) Unwrap() error { return b.error }

func isBroken(err error) bool {
	switch err.(type) {
	case broken, *goja.InterruptedError, *goja.StackOverflowError:
		return true
	}
	return false
}

// thrown is a JavaScript exception in words, with its place.
type thrown struct {
	text   string
	frames []goja.StackFrame
}

func (t *thrown) Error() string { return t.text }

// explain words an exception while the engine is still watched: showing what
// was thrown can run code of the body.
func (c *call) explain(err error) error {
	var ex *goja.Exception
	if !errors.As(err, &ex) {
		return err
	}
	text := "a value that cannot be shown"
	if inner := c.engine.vm.Try(func() { text = c.describe(ex.Value()) }); inner != nil {
		text = "a value that cannot be shown"
	}
	return &thrown{"the |js body threw " + text, ex.Stack()}
}

// locate turns an error of the call into a located one. The error of a handler
// and the end of the context are passed on as they are.
func (c *call) locate(err error) error {
	var (
		interrupted *goja.InterruptedError
		overflow    *goja.StackOverflowError
		threw       *thrown
		wrong       *misuse
	)
	s := c.body.source
	switch {
	case err == nil:
		return nil
	case errors.As(err, &interrupted):
		if stop, ok := interrupted.Value().(stopping); ok {
			return &eval.BodyError{Offset: s.offsetOf(interrupted.Stack()), Message: "the |js body " + stop.reason + " and was stopped"}
		}
		return c.watch.ctx.Err()
	case errors.As(err, &overflow):
		return &eval.BodyError{Offset: s.offsetOf(overflow.Stack()), Message: fmt.Sprintf("the |js body called itself more than %d calls deep and was stopped", maxCalls)}
	case errors.As(err, &threw):
		return &eval.BodyError{Offset: s.offsetOf(threw.frames), Message: threw.text}
	case errors.As(err, &wrong):
		return &eval.BodyError{Offset: s.returnOf(wrong.arm), Message: wrong.message}
	}
	if b, ok := err.(broken); ok {
		var engineFault runtime.Error
		if errors.As(b.error, &engineFault) {
			return &eval.BodyError{Message: b.Error()}
		}
		return b.error
	}
	return &eval.BodyError{Message: err.Error()}
}

// describe shows a JavaScript value in a message and on the console: text as it
// is, errors by name and message, data as JSON.
func (c *call) describe(v goja.Value) string {
	switch {
	case v == nil || goja.IsUndefined(v):
		return "undefined"
	case goja.IsNull(v):
		return "null"
	case goja.IsString(v):
		return v.String()
	}
	object, ok := v.(*goja.Object)
	if !ok {
		if symbol, ok := v.(*goja.Symbol); ok {
			return "Symbol(" + symbol.String() + ")"
		}
		return v.String()
	}
	switch kind := kindOf(object); kind {
	case "an array", "an object":
		if value, err := c.out(object, nil); err == nil {
			return eval.Text(value)
		}
		return kind + " that is not a value of Koru"
	case "an Error", "a Date", "a RegExp", "a String", "a Number", "a Boolean":
		return object.String()
	default:
		return kind
	}
}

// print writes one line of the console.
func (c *call) print(args []goja.Value) {
	if c.Host == nil || c.Host.Stderr == nil {
		return
	}
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = c.describe(a)
	}
	io.WriteString(c.Host.Stderr, strings.Join(words, " ")+"\n")
}

func (c *call) now() time.Time {
	if c.Host != nil && c.Host.Now != nil {
		return c.Host.Now()
	}
	return time.Now()
}

func (c *call) random() float64 {
	if c.body.target.Random != nil {
		return c.body.target.Random()
	}
	t := c.body.target
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sequence == nil {
		t.sequence = rand.New(rand.NewPCG(0, 0))
	}
	return t.sequence.Float64()
}

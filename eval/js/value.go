package js

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"sync/atomic"

	"github.com/dop251/goja"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// exactInt is the greatest integer below which a JavaScript number holds every
// one exactly. Beyond it integers are BigInts (R101).
const exactInt = 1 << 53

// What a body may deliver, counted over one value.
const (
	maxDepth  = 64
	maxValues = 1_000_000
	maxBytes  = 16 << 20
)

// Object is the host object behind a handle that a |js body minted: the data it
// delivered for a *T. Bodies that take the handle see the data again, as the
// last of them left it; Koru code never looks inside.
type Object struct{ data atomic.Pointer[eval.Value] }

// mint returns a handle for what a body delivered as a *T. It has no token yet:
// that is given by whoever keeps track of handles.
func mint(data eval.Value) eval.Value {
	if data.Kind() != eval.Record && data.Kind() != eval.List {
		data = eval.RecordValue(valueShape, data) // only objects can come back as themselves
	}
	object := new(Object)
	object.data.Store(&data)
	return eval.HandleValue("", object)
}

var valueShape = eval.NewShape("value")

// in makes the JavaScript value of a Koru value.
func (c *call) in(v eval.Value) goja.Value {
	vm := c.engine.vm
	switch v.Kind() {
	case eval.Bool:
		return vm.ToValue(v.Bool())
	case eval.Int:
		if i, ok := v.Int(); ok && -exactInt <= i && i <= exactInt {
			return vm.ToValue(i)
		}
		return vm.ToValue(v.Big())
	case eval.Float:
		return vm.ToValue(v.Float())
	case eval.String:
		return vm.ToValue(v.Str())
	case eval.List:
		elems := make([]any, v.Len())
		for i, e := range v.Elems() {
			elems[i] = c.in(e)
		}
		return vm.NewArray(elems...)
	case eval.Record:
		return c.inRecord(v)
	case eval.Handle, eval.Opaque:
		return c.inHandle(v)
	}
	return goja.Null()
}

func (c *call) inRecord(v eval.Value) *goja.Object {
	object := c.engine.vm.NewObject()
	for i, e := range v.Elems() {
		// Defined, not assigned: a field may be called __proto__.
		c.define(object, v.Shape().Names[i], c.in(e))
	}
	return object
}

func (c *call) define(object *goja.Object, name string, v goja.Value) {
	if err := object.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
		panic(err)
	}
}

// inHandle makes the object that stands for a handle during this call: its data
// if a |js body minted it, otherwise an object that only shows its token.
func (c *call) inHandle(v eval.Value) goja.Value {
	var object *goja.Object
	if minted, ok := v.Object().(*Object); ok {
		object = c.in(*minted.data.Load()).(*goja.Object)
		c.minted = append(c.minted, lent{object, minted})
	} else {
		object = c.engine.vm.CreateObject(c.engine.handle)
	}
	if c.handles == nil {
		c.handles = map[*goja.Object]eval.Value{}
	}
	c.handles[object] = v
	return object
}

// outward reads a JavaScript value as a Koru value and counts as it goes.
type outward struct {
	call   *call
	values int
	bytes  int
	path   []string
}

// out reads a value that is declared as t (nil for a value nobody declared). It
// reads properties, so it can run code of the body.
func (c *call) out(v goja.Value, t *check.Type) (eval.Value, error) {
	o := outward{call: c}
	value, err := o.read(v, t, 0)
	if err != nil {
		return eval.Value{}, err
	}
	if t == nil {
		return value, nil
	}
	return eval.Convert(value, t)
}

func (o *outward) misfit(format string, args ...any) *eval.Misfit {
	m := &eval.Misfit{Problem: fmt.Sprintf(format, args...)}
	for _, step := range o.path {
		m.Path += step
	}
	return m
}

func (o *outward) read(v goja.Value, t *check.Type, depth int) (eval.Value, error) {
	if o.values++; o.values > maxValues {
		return eval.Value{}, o.misfit("brings more than %d values", maxValues)
	}
	if v == nil || goja.IsUndefined(v) || goja.IsNull(v) {
		return eval.NullValue(), nil
	}
	if object, ok := v.(*goja.Object); ok {
		return o.readObject(object, t, depth)
	}
	value, err := o.readPrimitive(v)
	if err == nil && t.IsCapability() {
		value = mint(value)
	}
	return value, err
}

func (o *outward) readPrimitive(v goja.Value) (eval.Value, error) {
	if _, ok := v.(*goja.Symbol); ok {
		return eval.Value{}, o.misfit("is a symbol, which is not a value of Koru")
	}
	if goja.IsString(v) {
		return o.text(v.String())
	}
	switch x := v.Export().(type) {
	case string: // a String object
		return o.text(x)
	case bool:
		return eval.BoolValue(x), nil
	case int64:
		return eval.IntValue(x), nil
	case float64:
		return number(x), nil
	case *big.Int:
		return eval.BigValue(new(big.Int).Set(x)), nil
	}
	return eval.Value{}, o.misfit("is %s, which is not a value of Koru", kindOf(v))
}

func (o *outward) text(s string) (eval.Value, error) {
	if o.bytes += len(s); o.bytes > maxBytes {
		return eval.Value{}, o.misfit("brings more than %d MiB of text", maxBytes>>20)
	}
	return eval.StringValue(s), nil
}

// number reads a number: an integral one is an integer (R47).
func number(f float64) eval.Value {
	switch {
	case f != math.Trunc(f) || math.IsInf(f, 0):
		return eval.FloatValue(f)
	case math.Abs(f) < 1<<63:
		return eval.IntValue(int64(f))
	}
	exact, _ := big.NewFloat(f).Int(nil)
	return eval.BigValue(exact)
}

func (o *outward) readObject(object *goja.Object, t *check.Type, depth int) (eval.Value, error) {
	if h, ok := o.call.handles[object]; ok {
		return h, nil
	}
	if depth >= maxDepth {
		return eval.Value{}, o.misfit("is nested more than %d deep — does it contain itself?", maxDepth)
	}
	var value eval.Value
	var err error
	switch kind := kindOf(object); kind {
	case "an array":
		value, err = o.readList(object, t, depth)
	case "an object":
		value, err = o.readRecord(object, t, depth)
	case "a String", "a Number", "a Boolean":
		value, err = o.readPrimitive(object)
	default:
		return eval.Value{}, o.misfit("is %s, which is not a value of Koru", kind)
	}
	if err == nil && t.IsCapability() {
		value = mint(value)
	}
	return value, err
}

func (o *outward) readList(array *goja.Object, t *check.Type, depth int) (eval.Value, error) {
	length := int(array.Get("length").ToInteger())
	if length > maxValues-o.values {
		return eval.Value{}, o.misfit("brings more than %d values", maxValues)
	}
	var elem *check.Type
	if t != nil {
		elem = t.Elem
	}
	elems := make([]eval.Value, length)
	for i := range elems {
		o.path = append(o.path, "["+strconv.Itoa(i)+"]")
		e, err := o.read(array.Get(strconv.Itoa(i)), elem, depth+1)
		if err != nil {
			return e, err
		}
		elems[i] = e
		o.path = o.path[:len(o.path)-1]
	}
	return eval.ListValue(elems), nil
}

func (o *outward) readRecord(object *goja.Object, t *check.Type, depth int) (eval.Value, error) {
	names := object.Keys()
	vals := make([]eval.Value, 0, len(names))
	shape := &eval.Shape{Names: names[:0:0]}
	for _, name := range names {
		v := object.Get(name)
		if v == nil || goja.IsUndefined(v) {
			continue // { field: undefined } is JavaScript for leaving it out
		}
		o.path = append(o.path, "."+name)
		e, err := o.read(v, fieldType(t, name), depth+1)
		if err != nil {
			return e, err
		}
		o.path = o.path[:len(o.path)-1]
		shape.Names = append(shape.Names, name)
		vals = append(vals, e)
	}
	return eval.RecordValue(shape, vals...), nil
}

func fieldType(t *check.Type, name string) *check.Type {
	if t != nil {
		for _, field := range t.Fields {
			if field.Name == name {
				return field.Type
			}
		}
	}
	return nil
}

// kindOf names what a JavaScript value is. A plain object, an instance of a
// class among them, is "an object"; the engine tells Map, Set and Promise from
// it only by what they would export as.
func kindOf(v goja.Value) string {
	object, ok := v.(*goja.Object)
	if !ok {
		return "a symbol"
	}
	switch class := object.ClassName(); class {
	case "Array":
		return "an array"
	case "Function":
		return "a function"
	case "Error", "Arguments":
		return "an " + class
	case "Object":
		switch object.ExportType() {
		case reflect.TypeFor[*goja.Promise]():
			return "a Promise"
		case reflect.TypeFor[[][2]any]():
			return "a Map"
		case reflect.TypeFor[[]any]():
			return "a Set"
		}
		return "an object"
	default:
		return "a " + class
	}
}

// lent is a minted object in the hands of a body.
type lent struct {
	object *goja.Object
	minted *Object
}

// keep notes what the body did to the objects it was given.
func (c *call) keep() error {
	for _, l := range c.minted {
		h := c.handles[l.object]
		delete(c.handles, l.object) // so that what it holds is read, not the handle
		data, err := c.out(l.object, nil)
		if err != nil {
			return err
		}
		c.handles[l.object] = h
		l.minted.data.Store(&data)
	}
	return nil
}

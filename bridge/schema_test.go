package bridge

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// toolParameters reads both lists of tools and returns the compiled parameters
// by the tool's name. Compiling judges them against the 2020-12 metaschema.
func toolParameters(t testing.TB, words *check.Vocabulary) map[string]*jsonschema.Schema {
	t.Helper()
	var functions []struct {
		Type     string
		Function struct {
			Name, Description string
			Parameters        any
		}
	}
	var mcp struct {
		Tools []struct {
			Name, Description string
			InputSchema       any
		}
	}
	strict(t, RenderSchema(words), &functions)
	strict(t, RenderTools(words), &mcp)
	if len(functions) != len(mcp.Tools) {
		t.Fatalf("%d functions but %d tools", len(functions), len(mcp.Tools))
	}
	out := map[string]*jsonschema.Schema{}
	for i, f := range functions {
		tool := mcp.Tools[i]
		if f.Type != "function" || f.Function.Name != tool.Name || f.Function.Description != tool.Description || !cmp.Equal(f.Function.Parameters, tool.InputSchema) {
			t.Errorf("the lists differ in tool %d:\n%+v\n%+v", i, f, tool)
		}
		c := jsonschema.NewCompiler()
		c.DefaultDraft(jsonschema.Draft2020)
		if err := c.AddResource("tool.json", tool.InputSchema); err != nil {
			t.Fatal(err)
		}
		s, err := c.Compile("tool.json")
		if err != nil {
			t.Errorf("%s: %v", tool.Name, err)
		}
		out[tool.Name] = s
	}
	return out
}

// strict decodes JSON, numbers kept as they are written, and refuses what the
// target has no place for.
func strict(t testing.TB, text string, into any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// The schema of a verb accepts exactly the arguments whose values the verb
// accepts: drawn at random, most of them a little wrong.
func TestSchemaAgreesWithTypes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, file := range scopeFiles(t) {
		_, b := scopeOf(t, file)
		words := b.Words()
		schemas := toolParameters(t, words)
		accepted, refused := 0, 0
		for name, v := range tools(words) {
			for range 2000 {
				args := drawArgs(rnd, v.Tor)
				got := schemas[name].Validate(args) == nil
				want, why := takes(t, v.Tor, args)
				if got != want {
					t.Fatalf("%s: schema accepts %v: %v\nthe verb: %v (%s)", name, args, got, want, why)
				}
				if want {
					accepted++
				} else {
					refused++
				}
			}
		}
		if accepted == 0 || refused == 0 {
			t.Errorf("%s: %d accepted, %d refused: the draw shows nothing", file, accepted, refused)
		}
	}
}

// takes reports whether a verb accepts arguments given as JSON.
func takes(t *testing.T, tor *check.Tor, args map[string]any) (bool, string) {
	for name := range args {
		if tor.Field(name) == nil {
			return false, "no field " + name
		}
	}
	for _, f := range tor.Fields {
		arg, has := args[f.Name]
		if !has {
			if f.Required() {
				return false, "needs " + f.Name
			}
			continue
		}
		text, err := json.Marshal(arg)
		if err != nil {
			t.Fatal(err)
		}
		v, err := eval.DecodeJSON(text, eval.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if f.Type.IsCapability() {
			if v.Kind() != eval.String {
				return false, f.Name + " is a handle"
			}
			continue
		}
		if _, path, ok := eval.Fits(v, f.Type); !ok {
			return false, f.Name + path
		}
	}
	return true, ""
}

// drawArgs draws the arguments of a call, now and then with one field too many,
// one too few, or a value that does not fit.
func drawArgs(rnd *rand.Rand, tor *check.Tor) map[string]any {
	args := map[string]any{}
	for _, f := range tor.Fields {
		if rnd.IntN(20) > 0 {
			args[f.Name] = drawValue(rnd, f.Type)
		}
	}
	if rnd.IntN(20) == 0 {
		args["surplus"] = "x"
	}
	return args
}

func drawValue(rnd *rand.Rand, t *check.Type) any {
	if rnd.IntN(12) == 0 {
		odd := []any{nil, true, "text", "economy", json.Number("-1"), json.Number("7"), json.Number("2.5"), json.Number("70000"), []any{}, []any{"a"}, map[string]any{"date": "x"}}
		return odd[rnd.IntN(len(odd))]
	}
	switch t.Kind {
	case check.BoolType:
		return rnd.IntN(2) == 0
	case check.IntType:
		return json.Number(fmt.Sprint(rnd.IntN(300)))
	case check.FloatType:
		return json.Number(fmt.Sprintf("%d.25", rnd.IntN(100)))
	case check.ChoiceType:
		return t.Choices[rnd.IntN(len(t.Choices))]
	case check.ListType:
		list := make([]any, rnd.IntN(3))
		for i := range list {
			list[i] = drawValue(rnd, t.Elem)
		}
		return list
	case check.RecordType:
		record := map[string]any{}
		for _, f := range t.Fields {
			if rnd.IntN(12) > 0 {
				record[f.Name] = drawValue(rnd, f.Type)
			}
		}
		return record
	}
	return "some text"
}

// Names that tool lists cannot hold are respelled, each differently, and lead
// back to their verbs.
func TestToolNames(t *testing.T) {
	long := strings.Repeat("x", 70)
	words := &check.Vocabulary{Scope: &check.Scope{Name: "s"}}
	for _, name := range []string{"get-user", "std.fs:dir", "std_fs_dir", "std.fs.dir", long, long + "y"} {
		words.Scope.Verbs = append(words.Scope.Verbs, &check.Verb{Name: name, Tor: &check.Tor{Name: name}})
	}
	var got []string
	for name, v := range tools(words) {
		got = append(got, name)
		if ToolVerb(words, name) != v {
			t.Errorf("%s does not lead back to %s", name, v.Name)
		}
	}
	want := []string{"get-user", "std_fs_dir_2", "std_fs_dir", "std_fs_dir_3", long[:64], long[:62] + "_2"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if ToolVerb(words, "std.fs:dir") != nil {
		t.Error("a verb's own name is no tool where tools cannot hold it")
	}
}

// What types become in a schema.
func TestSchemaOfTypes(t *testing.T) {
	for _, tt := range []struct{ field, want string }{
		{"a: string", `{"type":"string"}`},
		{"a: ?string", `{"type":["string","null"]}`},
		{"a: char[8]", `{"type":"string","maxLength":8}`},
		{"a: i8", `{"type":"integer","minimum":-128,"maximum":127}`},
		{"a: u32", `{"type":"integer","minimum":0,"maximum":4294967295}`},
		{"a: i64", `{"type":"integer"}`},
		{"a: usize", `{"type":"integer","minimum":0}`},
		{"a: f32 = 1.5", `{"type":"number","default":1.5}`},
		{`a: ?"up" | "down"`, `{"type":["string","null"],"enum":["up","down",null]}`},
		{"a: []?bool", `{"type":"array","items":{"type":["boolean","null"]}}`},
		{"a: { b: string, c: ?i16 }", `{"type":"object","properties":{"b":{"type":"string"},"c":{"type":["integer","null"],"minimum":-32768,"maximum":32767}},"required":["b"],"additionalProperties":false}`},
		{"a: *Room<open>", `{"type":"string","description":"A handle of type *Room, as an earlier result gave it."}`},
		{"a: string<!open>", `{"type":"string","description":"As an earlier result gave it, known as open."}`},
		{"a: Colour", `{"description":"A Colour."}`},
	} {
		t.Run(tt.field, func(t *testing.T) {
			words := vocabulary(t, "import std/runtime\npub tor v { "+tt.field+" }\nstd/runtime:register(scope: \"s\") {\n    v\n}\n", "s")
			got := string(appendField(nil, words.Scope.Verbs[0].Tor.Fields[0]))
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			toolParameters(t, words)
		})
	}
}

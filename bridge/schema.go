package bridge

import (
	"strconv"
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// RenderSchema returns the vocabulary as a list of tools for agents that call
// functions with JSON arguments: one function a verb, its parameters as JSON
// Schema (draft 2020-12), descriptions from the documentation. It is the list
// that OpenAI-compatible servers take as "tools".
func RenderSchema(words *check.Vocabulary) string {
	dst := appendTools(nil, `[`, words, func(dst []byte, name string, v *check.Verb) []byte {
		dst = appendText(dst, `{"type":"function","function":{"name":`, name)
		dst = appendDescription(dst, toolDescription(v))
		dst = append(dst, `,"parameters":`...)
		return append(appendObject(dst, inputsOf(v.Tor), "", false), "}}"...)
	})
	return string(dst)
}

// RenderTools returns the same list as the result of a tools/list request of
// the Model Context Protocol.
func RenderTools(words *check.Vocabulary) string {
	dst := appendTools(nil, `{"tools":[`, words, func(dst []byte, name string, v *check.Verb) []byte {
		dst = appendText(dst, `{"name":`, name)
		dst = appendDescription(dst, toolDescription(v))
		dst = append(dst, `,"inputSchema":`...)
		return append(appendObject(dst, inputsOf(v.Tor), "", false), '}')
	})
	return string(append(dst, '}'))
}

// ToolVerb returns the verb that a tool of the list stands for, or nil.
func ToolVerb(words *check.Vocabulary, tool string) *check.Verb {
	for name, v := range tools(words) {
		if name == tool {
			return v
		}
	}
	return nil
}

// maxToolName is how long the names of functions may be where tools are used.
const maxToolName = 64

// tools yields the verbs with their names as tools: letters, digits, _ and -
// only, and no name twice. The names of most verbs are that already.
func tools(words *check.Vocabulary) func(yield func(string, *check.Verb) bool) {
	return func(yield func(string, *check.Verb) bool) {
		taken := map[string]bool{}
		for v := range verbsOf(words) {
			taken[v.Name] = true
		}
		for v := range verbsOf(words) {
			name := toolName(v.Name)
			for n := 2; name != v.Name && taken[name]; n++ {
				suffix := "_" + strconv.Itoa(n)
				name = toolName(v.Name)
				name = name[:min(len(name), maxToolName-len(suffix))] + suffix
			}
			taken[name] = true
			if !yield(name, v) {
				return
			}
		}
	}
}

func toolName(verb string) string {
	name := strings.Map(func(r rune) rune {
		if r < 0x80 && (isLetter(byte(r)) || isDigit(byte(r)) || r == '_' || r == '-') {
			return r
		}
		return '_'
	}, verb)
	return name[:min(len(name), maxToolName)]
}

func appendTools(dst []byte, open string, words *check.Vocabulary, tool func([]byte, string, *check.Verb) []byte) []byte {
	dst = append(dst, open...)
	first := true
	for name, v := range tools(words) {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = tool(dst, name, v)
	}
	return append(dst, ']')
}

// toolDescription is the documentation of a verb and what it can end in, which
// a list of tools has no other place for.
func toolDescription(v *check.Verb) string {
	var parts []string
	if v.Tor.Doc != "" {
		parts = append(parts, v.Tor.Doc)
	}
	if v.Tor.Return != nil {
		parts = append(parts, "Returns: "+spelling(v.Tor.Return))
	}
	if outcomes := outcomesOf(v.Tor); len(outcomes) > 0 {
		text := "Outcomes:"
		for _, o := range outcomes {
			text += " | " + outcomeSpelling(o)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n\n")
}

// appendObject appends the schema of a record: it knows its fields, takes no
// others, and asks for those that have to be there.
func appendObject(dst []byte, fields []*check.Field, doc string, nullable bool) []byte {
	dst = appendSchemaType(dst, "object", nullable)
	dst = appendDescription(dst, doc)
	dst = append(dst, `,"properties":{`...)
	var required []string
	for i, f := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(eval.AppendQuoted(dst, f.Name), ':')
		dst = appendField(dst, f)
		if f.Required() {
			required = append(required, f.Name)
		}
	}
	dst = append(dst, '}')
	if required != nil {
		dst = appendList(dst, `,"required":[`, required, eval.AppendQuoted)
	}
	return append(dst, `,"additionalProperties":false}`...)
}

func appendField(dst []byte, f *check.Field) []byte {
	dst = appendSchema(dst, f.Type, fieldDescription(f))
	if !f.Default.IsValid() {
		return dst
	}
	v, err := eval.DecodeJSON([]byte(f.Default.Text()), eval.Limits{})
	if err != nil {
		return dst // computed when the verb is called; JSON Schema cannot say how
	}
	dst = append(dst[:len(dst)-1], `,"default":`...)
	return append(eval.AppendJSON(dst, v), '}')
}

// fieldDescription is the documentation of a field and what its possession
// label asks of a value.
func fieldDescription(f *check.Field) string {
	var parts []string
	if f.Doc != "" {
		parts = append(parts, strings.ReplaceAll(f.Doc, "\n", " "))
	}
	bare := *f.Type
	bare.Optional = false
	switch p := f.Type.Phantom; {
	case f.Type.IsCapability():
		parts = append(parts, "A handle of type "+bare.String()+", as an earlier result gave it.")
	case p != nil:
		states := make([]string, len(p.Members))
		for i, s := range p.Members {
			states[i] = s.Name
		}
		parts = append(parts, "As an earlier result gave it, known as "+strings.Join(states, " or ")+".")
	}
	return strings.Join(parts, " ")
}

// appendSchema appends the schema of the values of a type.
func appendSchema(dst []byte, t *check.Type, doc string) []byte {
	switch t.Kind {
	case check.RecordType:
		return appendObject(dst, t.Fields, doc, t.Optional)
	case check.ListType:
		dst = appendSchemaType(dst, "array", t.Optional)
	case check.BoolType:
		dst = appendSchemaType(dst, "boolean", t.Optional)
	case check.IntType:
		dst = appendSchemaType(dst, "integer", t.Optional)
	case check.FloatType:
		dst = appendSchemaType(dst, "number", t.Optional)
	case check.TextType, check.ChoiceType, check.ExprType:
		dst = appendSchemaType(dst, "string", t.Optional)
	default:
		if !t.IsCapability() {
			return appendAnything(dst, t, doc)
		}
		dst = appendSchemaType(dst, "string", t.Optional)
	}
	dst = appendDescription(dst, doc)
	switch t.Kind {
	case check.ChoiceType:
		dst = appendList(dst, `,"enum":[`, t.Choices, eval.AppendQuoted)
		if t.Optional {
			dst = append(dst[:len(dst)-1], ",null]"...)
		}
	case check.IntType:
		dst = appendRange(dst, t)
	case check.TextType:
		if t.Bits > 0 {
			dst = strconv.AppendInt(append(dst, `,"maxLength":`...), int64(t.Bits), 10)
		}
	case check.ListType:
		dst = appendSchema(append(dst, `,"items":`...), t.Elem, "")
	}
	return append(dst, '}')
}

// appendAnything appends the schema of a type that nobody judges (R41).
func appendAnything(dst []byte, t *check.Type, doc string) []byte {
	if doc == "" && t.Name != "" {
		doc = "A " + t.String() + "."
	}
	if doc == "" {
		return append(dst, "{}"...)
	}
	return append(appendText(dst, `{"description":`, doc), '}')
}

func appendDescription(dst []byte, text string) []byte {
	if text == "" {
		return dst
	}
	return appendText(dst, `,"description":`, text)
}

func appendSchemaType(dst []byte, name string, nullable bool) []byte {
	if nullable {
		return append(appendText(dst, `{"type":[`, name), `,"null"]`...)
	}
	return appendText(dst, `{"type":`, name)
}

// appendRange appends the limits of an integer as far as every reader of JSON
// can hold them.
func appendRange(dst []byte, t *check.Type) []byte {
	const exact = 53 // bits of a number that a JSON reader is sure to keep
	bits := t.Bits
	if t.Signed {
		bits--
	}
	switch {
	case !t.Signed:
		dst = append(dst, `,"minimum":0`...)
	case bits <= exact:
		dst = strconv.AppendInt(append(dst, `,"minimum":`...), -1<<bits, 10)
	}
	if bits <= exact {
		dst = strconv.AppendInt(append(dst, `,"maximum":`...), 1<<bits-1, 10)
	}
	return dst
}

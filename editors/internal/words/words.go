// Package words keeps one list of the words of Koru for every editor.
//
// An editor colours by a grammar of its own making: TextMate patterns, Vim
// syntax, an Emacs mode, a Sublime syntax, a tokenizer for CodeMirror. Each
// needs the same words — keywords, types, operators, the verbs whose block the
// language reads. They are taken from package syntax, and written into marked
// places of those files:
//
//	(?#keywords)(?:pub|tor)     in a pattern of a JSON grammar
//	<comment> words: keywords   above lines that end at <comment> end words
//
// The test of this package fails where a file says something else than syntax
// does, where a list is missing from a grammar, and where syntax has a token
// that no list holds. `go test ./editors/internal/words -update` writes the
// files.
package words

import (
	"slices"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// List is one list of words that belong to one colour.
type List struct {
	Name  string
	Words []string
}

// Lists returns every list, in the order of the manual.
func Lists() []List {
	return []List{
		{"declarations", syntax.DeclarationWords},
		{"flow-words", syntax.FlowWords},
		{"operator-words", syntax.OperatorWords},
		{"literals", syntax.LiteralWords},
		{"control-verbs", syntax.ControlTors},
		{"types", syntax.ScalarTypes},
		{"annotations", syntax.AnnotationWords},
		{"spoken", syntax.SpokenWords},
		{"flow-operators", spellings(flowOperator)},
		{"operators", spellings(operator)},
		{"punctuation", spellings(punctuation)},
		{"grant-verbs", syntax.BlockVerbs(syntax.GrantBlock)},
		{"const-verbs", syntax.BlockVerbs(syntax.ConstBlock)},
		{"column-verbs", syntax.BlockVerbs(syntax.ColumnBlock)},
		{"assign-verbs", syntax.BlockVerbs(syntax.AssignBlock)},
		{"template-verbs", syntax.BlockVerbs(syntax.TemplateBlock)},
		{"test-verbs", syntax.BlockVerbs(syntax.TestBlock)},
	}
}

// Find returns the words of the list of that name.
func Find(name string) ([]string, bool) {
	for _, l := range Lists() {
		if l.Name == name {
			return l.Words, true
		}
	}
	return nil, false
}

// group sorts the tokens that are not words.
type group int

const (
	punctuation group = iota + 1
	flowOperator
	operator
	bracket // a bracket, a splice or a tag: grammars pair them by rules of their own
)

// groups says what each kind of token from | to %} is for a reader.
var groups = map[syntax.Kind]group{
	syntax.Pipe: flowOperator, syntax.Bang: flowOperator, syntax.PipeArrow: flowOperator,
	syntax.FatArrow: flowOperator, syntax.Arrow: flowOperator,
	syntax.Question: flowOperator, syntax.QuestionBang: flowOperator,
	syntax.Hash: flowOperator, syntax.At: flowOperator, syntax.Tilde: flowOperator,

	syntax.Equal: operator, syntax.DotDot: operator, syntax.Deref: operator,
	syntax.Less: operator, syntax.Greater: operator, syntax.LessEqual: operator, syntax.GreaterEqual: operator,
	syntax.EqualEqual: operator, syntax.NotEqual: operator,
	syntax.Plus: operator, syntax.PlusPlus: operator, syntax.Minus: operator,
	syntax.Star: operator, syntax.Slash: operator, syntax.Percent: operator,
	syntax.Amp: operator, syntax.AmpAmp: operator, syntax.PipePipe: operator,

	syntax.Colon: punctuation, syntax.Comma: punctuation, syntax.Dot: punctuation, syntax.Semicolon: punctuation,

	syntax.LParen: bracket, syntax.RParen: bracket, syntax.LBrace: bracket, syntax.RBrace: bracket,
	syntax.LBracket: bracket, syntax.RBracket: bracket,
	syntax.OpenSplice: bracket, syntax.CloseSplice: bracket, syntax.OpenTag: bracket, syntax.CloseTag: bracket,
}

// spellings returns the tokens of a group, longest first, so that a pattern of
// alternatives never stops at a prefix.
func spellings(g group) []string {
	var list []string
	for kind := syntax.Pipe; kind <= syntax.CloseTag; kind++ {
		if groups[kind] == g {
			list = append(list, kind.String())
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
}

// joined returns the words as they stand between two separators of a pattern.
func joined(list []string, quote func(string) string) string {
	quoted := make([]string, len(list))
	for i, w := range list {
		quoted[i] = quote(w)
	}
	return strings.Join(quoted, "|")
}

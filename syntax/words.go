package syntax

import "slices"

// The words of the language. None is reserved: each means something only where
// the grammar expects it. Editor grammars and completion read these lists.
var (
	// DeclarationWords open an item.
	DeclarationWords = []string{"pub", "tor", "proc", "import"}

	// FlowWords stand inside flows: a guard, and the conditional expression.
	FlowWords = []string{"when", "if", "else"}

	// OperatorWords are the operators that are spelled as words.
	OperatorWords = []string{"and", "or", "not", "orelse"}

	// LiteralWords are values.
	LiteralWords = []string{"true", "false", "null"}

	// Keywords are all words that have a meaning in the grammar itself.
	Keywords = slices.Concat(DeclarationWords, FlowWords, OperatorWords, LiteralWords)
)

// ControlTors are the verbs that are visible everywhere without an import.
var ControlTors = []string{"if", "for", "while", "cond", "capture", "captured", "const"}

// ScalarTypes are the types the language itself knows.
var ScalarTypes = []string{
	"string", "bool",
	"i8", "i16", "i32", "i64", "i128", "u8", "u16", "u32", "u64", "u128", "usize", "isize",
	"f32", "f64",
}

// AnnotationWords are the annotations that have a meaning to the toolchain.
var AnnotationWords = []string{
	"comptime", "runtime", "transform", "pre", "keyword", "norun", "abstract", "retain", "command",
	"pure", "with", "name", "depends_on", "build", "strict", "prototype", "aspirational", "mutable",
	"doc", "debug",
}

// SpokenWords open the lines of a reply that are text and no call: what is said
// to the user, and what the model notes for itself (bridge.md 5.12).
var SpokenWords = []string{"say", "note"}

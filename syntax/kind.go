package syntax

// Kind names what a token or a node is. Kinds of tokens come first, then kinds
// of nodes; [Kind.IsToken] tells them apart. The names that [Kind.String]
// returns are stable: `koru ast` prints them.
type Kind uint8

// Invalid is the kind of a zero Node or Token.
const Invalid Kind = 0

// Trivia: tokens without meaning that belong to no node below the item.
const (
	Space   Kind = iota + 1 // blanks and tabs
	Newline                 // LF, CRLF or a lone CR
	Comment                 // // to the end of the line
	BOM                     // a byte order mark at the start of a file

	firstSolid
)

// Tokens that carry text.
const (
	Name    = firstSolid + iota // snake or kebab name, keyword, _
	Path                        // std/io:print.ln, dotted or qualified
	Int                         // 42, 0xFF, 1_000
	Float                       // 1.5
	Char                        // 'q'
	String                      // "text" without a splice
	Quote                       // the parts of a string around its splices, quotes included
	RawName                     // `GET /` or [a-z] as an arm name
	Text                        // raw text of a source block, a proc body or a host line
	Prose                       // one line of documentation prose
	Word                        // any run of bytes that starts no token

	// Punctuation.
	Pipe         // |
	Bang         // !
	PipeArrow    // |>
	FatArrow     // =>
	Arrow        // ->
	Colon        // :
	Equal        // =
	Comma        // ,
	Dot          // .
	DotDot       // ..
	Question     // ?
	QuestionBang // ?!
	Hash         // #
	At           // @
	Tilde        // ~
	Semicolon    // ;
	LParen       // (
	RParen       // )
	LBrace       // {
	RBrace       // }
	LBracket     // [
	RBracket     // ]
	Less         // <
	Greater      // >
	LessEqual    // <=
	GreaterEqual // >=
	EqualEqual   // ==
	NotEqual     // !=
	Plus         // +
	PlusPlus     // ++
	Minus        // -
	Star         // *
	Slash        // /
	Percent      // %
	Amp          // &
	AmpAmp       // &&
	PipePipe     // ||
	Deref        // .*
	OpenSplice   // {{
	CloseSplice  // }}
	OpenTag      // {%
	CloseTag     // %}

	firstNode
)

// Nodes: the items of a file.
const (
	ImportItem     = firstNode + iota // import std/io
	TorItem                           // tor name { ... } and its arms
	ProcItem                          // proc name|js { ... }
	ImplItem                          // name = flow, name -> value, name => outcome
	FlowItem                          // a top-level flow
	HostItem                          // host lines of a .kz or .kjs file
	AnnotationItem                    // a module annotation
	BlankItem                         // the trivia at the end of a file
	ErrorItem                         // text that starts no construct

	// Declarations.
	Annotations   // [ ... ] before a declaration, inline or vertical
	Annotation    // one entry
	AnnotationArg // one argument of an entry
	DocText       // the prose lines under a bullet
	Shape         // { field: type, ... }
	FieldDecl     // field: type = default
	Type          // a type
	Phantom       // <open!>
	State         // one member of a phantom
	ArmDecl       // | name payload
	Resume        // what a handler of an effect answers

	// Flows.
	Chain       // steps joined by |>, and the arms under the last one
	Call        // path(args) { block } : bind
	Jump        // @label(args)
	Discard     // _
	Label       // #name
	Variant     // |variant of an invocation
	Args        // ( ... )
	Arg         // field: value, or a bare value
	Bind        // : name
	Destructure // { a, b: c }
	BindField   // one field of a destructure
	Arm         // | name bind |> ...
	Guard       // when expr
	Construct   // => arm value
	Produce     // -> value

	// Blocks.
	Block         // a raw source block
	FileBlock     // @"path" or <html>"path"
	GrantBlock    // the block of std/runtime:register
	Grant         // one grant: path -> verb(cost)
	GrantGlob     // prefix:*
	GrantInclude  // scope(name)
	ConstBlock    // the block of const
	ConstEntry    // NAME: literal
	ColumnBlock   // the block of std/store:new
	Column        // name: type or name: literal[type], or an anonymous type
	AssignBlock   // the block of std/store:stored and its kin
	Assign        // path: expr
	TemplateBlock // the block of print.blk
	Tag           // {% if x %}
	TestBlock     // the block of std/testing:test: flows and mocks

	// Expressions.
	Literal     // a number, a character, a string without splices, true, null
	Template    // a string with splices
	Splice      // {{ expr:spec }}
	NameExpr    // a name
	FieldExpr   // a.b
	IndexExpr   // a[i]
	DerefExpr   // a.*
	UnaryExpr   // -a
	BinaryExpr  // a + b
	CondExpr    // if (c) a else b
	ParenExpr   // (a)
	BuiltinExpr // @as(T, x)
	CallExpr    // a call where none may stand (KORU104)
	RecordExpr  // { x: 1, p.y }
	RecordField // one field of a record
	ListExpr    // [a, b]
	RangeExpr   // a..b
	TypedExpr   // 0[i64]
	HostExpr    // &.{ ... }: host text, kept as it is

	// The wire.
	WireItem   // calls and arms of one item
	WireArm    // | outcome name |> [calls]
	Definition // tor ... and its flow
	SayLine    // say: text
	NoteLine   // note: text
	ErrorNode  // text that could not be understood

	kindCount
)

// IsToken reports whether k is a kind of token.
func (k Kind) IsToken() bool { return k > Invalid && k < firstNode }

// IsTrivia reports whether k is a blank, a line end, a comment or a byte order mark.
func (k Kind) IsTrivia() bool { return k > Invalid && k < firstSolid }

// String returns the stable name of the kind, as `koru ast` prints it.
func (k Kind) String() string {
	if k < kindCount && kindNames[k] != "" {
		return kindNames[k]
	}
	return "invalid"
}

var kindNames = [kindCount]string{
	Space: "space", Newline: "newline", Comment: "comment", BOM: "bom",
	Name: "name", Path: "path", Int: "int", Float: "float", Char: "char", String: "string",
	Quote: "quote", RawName: "raw-name", Text: "text", Prose: "prose", Word: "word",
	Pipe: "|", Bang: "!", PipeArrow: "|>", FatArrow: "=>", Arrow: "->", Colon: ":", Equal: "=",
	Comma: ",", Dot: ".", DotDot: "..", Question: "?", QuestionBang: "?!", Hash: "#", At: "@",
	Tilde: "~", Semicolon: ";", LParen: "(", RParen: ")", LBrace: "{", RBrace: "}",
	LBracket: "[", RBracket: "]", Less: "<", Greater: ">", LessEqual: "<=", GreaterEqual: ">=",
	EqualEqual: "==", NotEqual: "!=", Plus: "+", PlusPlus: "++", Minus: "-", Star: "*",
	Slash: "/", Percent: "%", Amp: "&", AmpAmp: "&&", PipePipe: "||", Deref: ".*",
	OpenSplice: "{{", CloseSplice: "}}", OpenTag: "{%", CloseTag: "%}",

	ImportItem: "import", TorItem: "tor", ProcItem: "proc", ImplItem: "implementation", FlowItem: "flow",
	HostItem: "host", AnnotationItem: "module-annotation", BlankItem: "blank", ErrorItem: "error-item",
	Annotations: "annotations", Annotation: "annotation", AnnotationArg: "annotation-argument", DocText: "doc-text",
	Shape: "shape", FieldDecl: "field", Type: "type", Phantom: "phantom", State: "state",
	ArmDecl: "arm-declaration", Resume: "resume",
	Chain: "chain", Call: "call", Jump: "jump", Discard: "discard", Label: "label", Variant: "variant",
	Args: "arguments", Arg: "argument", Bind: "binding", Destructure: "destructure", BindField: "binding-field",
	Arm: "arm", Guard: "guard", Construct: "construct", Produce: "produce",
	Block: "block", FileBlock: "file-block", GrantBlock: "grant-block", Grant: "grant", GrantGlob: "grant-glob",
	GrantInclude: "grant-include", ConstBlock: "const-block", ConstEntry: "const-entry",
	ColumnBlock: "column-block", Column: "column", AssignBlock: "assign-block", Assign: "assign",
	TemplateBlock: "template-block", Tag: "tag", TestBlock: "test-block",
	Literal: "literal", Template: "template", Splice: "splice", NameExpr: "name-expression",
	FieldExpr: "field-expression", IndexExpr: "index-expression", DerefExpr: "dereference", UnaryExpr: "unary",
	BinaryExpr: "binary", CondExpr: "conditional", ParenExpr: "parenthesized", BuiltinExpr: "builtin",
	CallExpr: "call-expression", RecordExpr: "record", RecordField: "record-field", ListExpr: "list",
	RangeExpr: "range", TypedExpr: "typed-literal", HostExpr: "host-expression",
	WireItem: "wire-item", WireArm: "wire-arm", Definition: "definition", SayLine: "say", NoteLine: "note",
	ErrorNode: "error",
}

package syntax

import "strings"

// Typed views. Each is a Node of one kind with accessors for its parts; a part
// that the source lacks (or that was broken) is a zero Node or Token.

// own returns an iterator over the node's own tokens without trivia.
func (n Node) own() func(yield func(Token) bool) {
	return func(yield func(Token) bool) {
		for t := range n.Tokens() {
			if !t.Kind().IsTrivia() && !yield(t) {
				return
			}
		}
	}
}

// nth returns the i-th child, or the zero Node.
func (n Node) nth(i int) Node {
	c := n.FirstChild()
	for ; i > 0 && c.IsValid(); i-- {
		c = c.Next()
	}
	return c
}

// name returns the node's first own name or path token.
func (n Node) name() Token {
	for t := range n.own() {
		switch t.Kind() {
		case Name, Path, RawName:
			return t
		}
	}
	return Token{}
}

// Has reports whether the node has an own token of the given kind.
func (n Node) Has(kind Kind) bool { return n.Token(kind).IsValid() }

// HasWord reports whether the node has an own Name token with the given text.
func (n Node) HasWord(word string) bool {
	for t := range n.own() {
		if t.Kind() == Name && t.Text() == word {
			return true
		}
	}
	return false
}

// AnnotationList returns the annotation blocks in front of or inside the node.
func (n Node) AnnotationList() func(yield func(Node) bool) { return n.ChildrenOf(Annotations) }

// SplitPath cuts a path token's text into module path and tor name:
// "std/io:print.ln" gives "std/io" and "print.ln". Without a colon the module is "".
func SplitPath(path string) (module, name string) {
	if i := strings.IndexByte(path, ':'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}

// ImportView is `import std/io`.
type ImportView struct{ Node }

// Path returns the module path: a name, a path, or (a fault) a string.
func (v ImportView) Path() Token {
	seen := false
	for t := range v.own() {
		switch {
		case !seen && t.Kind() == Name && t.Text() == "import":
			seen = true
		case seen:
			return t
		}
	}
	return Token{}
}

// TorView is a tor declaration.
type TorView struct{ Node }

// Name returns the tor's name.
func (v TorView) Name() Token {
	seen := false
	for t := range v.own() {
		if seen && (t.Kind() == Name || t.Kind() == Path) {
			return t
		}
		if t.Kind() == Name && (t.Text() == "tor" || t.Text() == "event") {
			seen = true
		} else if seen {
			return Token{}
		}
	}
	return Token{}
}

// Pub reports whether the tor is public.
func (v TorView) Pub() bool { return v.HasWord("pub") && v.Name().Text() != "pub" }

// Shape returns the braces with the inputs.
func (v TorView) Shape() ShapeView { return ShapeView{v.Child(Shape)} }

// Return returns the declared single output.
func (v TorView) Return() TypeView { return TypeView{v.Child(Type)} }

// Arms returns the declared outcomes and effects.
func (v TorView) Arms() func(yield func(ArmDeclView) bool) {
	return func(yield func(ArmDeclView) bool) {
		for c := range v.ChildrenOf(ArmDecl) {
			if !yield(ArmDeclView{c}) {
				return
			}
		}
	}
}

// ShapeView is a record type in braces.
type ShapeView struct{ Node }

// Fields returns the fields in order.
func (v ShapeView) Fields() func(yield func(FieldView) bool) {
	return func(yield func(FieldView) bool) {
		for c := range v.ChildrenOf(FieldDecl) {
			if !yield(FieldView{c}) {
				return
			}
		}
	}
}

// FieldView is `name: type = default`.
type FieldView struct{ Node }

// Name returns the field's name.
func (v FieldView) Name() Token { return v.name() }

// Type returns the field's type.
func (v FieldView) Type() TypeView { return TypeView{v.Child(Type)} }

// Default returns the default value.
func (v FieldView) Default() Node {
	for c := range v.Children() {
		if c.Kind() == Type {
			return c.Next()
		}
	}
	return Node{}
}

// TypeView is a type. Its prefix marks are its own tokens in order.
type TypeView struct{ Node }

// Path returns the name of the base type.
func (v TypeView) Path() Token {
	for t := range v.own() {
		switch t.Kind() {
		case Path:
			return t
		case Name:
			if t.Text() != "const" {
				return t
			}
		}
	}
	return Token{}
}

// Shape returns the record shape, if the base is one.
func (v TypeView) Shape() ShapeView { return ShapeView{v.Child(Shape)} }

// Phantom returns the possession label.
func (v TypeView) Phantom() PhantomView { return PhantomView{v.Child(Phantom)} }

// Choices returns the string tokens of a choice of literals (R4).
func (v TypeView) Choices() []Token {
	var out []Token
	for t := range v.own() {
		if t.Kind() == String {
			out = append(out, t)
		}
	}
	return out
}

// PhantomView is <open!> and its kin.
type PhantomView struct{ Node }

// States returns the members.
func (v PhantomView) States() func(yield func(StateView) bool) {
	return func(yield func(StateView) bool) {
		for c := range v.ChildrenOf(State) {
			if !yield(StateView{c}) {
				return
			}
		}
	}
}

// StateView is one member of a phantom.
type StateView struct{ Node }

// Name returns the label, qualified as written; a state variable ends in a quote.
func (v StateView) Name() Token { return v.name() }

// Consume reports a mark in front: !open.
func (v StateView) Consume() bool { return v.FirstToken().Kind() == Bang }

// Mint reports a mark behind: open!.
func (v StateView) Mint() bool { return v.name().IsValid() && v.LastToken().Kind() == Bang }

// ArmDeclView is a declared outcome or effect.
type ArmDeclView struct{ Node }

// Effect reports whether the arm is declared with !.
func (v ArmDeclView) Effect() bool { return v.FirstToken().Kind() == Bang }

// Optional reports ?name.
func (v ArmDeclView) Optional() bool { return v.Has(Question) }

// Panic reports ?!name.
func (v ArmDeclView) Panic() bool { return v.Has(QuestionBang) }

// Name returns the arm's word.
func (v ArmDeclView) Name() Token { return v.name() }

// Payload returns what the arm carries; a lone * is the wildcard.
func (v ArmDeclView) Payload() TypeView { return TypeView{v.Child(Type)} }

// Resumes returns what a handler answers: one node with -> or several named arms.
func (v ArmDeclView) Resumes() func(yield func(ResumeView) bool) {
	return func(yield func(ResumeView) bool) {
		for c := range v.ChildrenOf(Resume) {
			if !yield(ResumeView{c}) {
				return
			}
		}
	}
}

// ResumeView is `-> T` or `| yes T` of an effect.
type ResumeView struct{ Node }

// Name returns the word of a named resume arm.
func (v ResumeView) Name() Token { return v.name() }

// Type returns what the handler answers.
func (v ResumeView) Type() TypeView { return TypeView{v.Child(Type)} }

// ProcView is a host body.
type ProcView struct{ Node }

// Name returns the tor that the body implements.
func (v ProcView) Name() Token {
	seen := false
	for t := range v.own() {
		if seen && (t.Kind() == Name || t.Kind() == Path) {
			return t
		}
		seen = seen || t.Kind() == Name && t.Text() == "proc"
	}
	return Token{}
}

// Targets returns the tags after the name.
func (v ProcView) Targets() []string {
	var out []string
	for c := range v.ChildrenOf(Variant) {
		out = append(out, strings.TrimPrefix(c.Text(), "|"))
	}
	return out
}

// Body returns the host text between the braces.
func (v ProcView) Body() Token { return v.Child(Block).Token(Text) }

// ImplView is an implementation: exactly one of Chain, Produce and Construct is set.
type ImplView struct{ Node }

// Name returns the implemented tor's path.
func (v ImplView) Name() Token { return v.name() }

// Variant returns the text of |variant without the bar, or "".
func (v ImplView) Variant() string { return strings.TrimPrefix(v.Child(Variant).Text(), "|") }

// Chain returns the flow of `name = flow`.
func (v ImplView) Chain() ChainView { return ChainView{v.Child(Chain)} }

// Produce returns the value of `name -> value`.
func (v ImplView) Produce() ProduceView { return ProduceView{v.Child(Produce)} }

// Construct returns the outcome of `name => outcome`.
func (v ImplView) Construct() ConstructView { return ConstructView{v.Child(Construct)} }

// FlowView is a top-level flow.
type FlowView struct{ Node }

// Chain returns the flow's chain.
func (v FlowView) Chain() ChainView { return ChainView{v.Child(Chain)} }

// ChainView is steps, an optional end, and the arms under the last step.
type ChainView struct{ Node }

// Steps returns the steps in order: Call, Jump, Discard and ErrorNode nodes.
func (v ChainView) Steps() func(yield func(Node) bool) {
	return func(yield func(Node) bool) {
		for c := range v.Children() {
			switch c.Kind() {
			case Call, Jump, Discard, ErrorNode:
				if !yield(c) {
					return
				}
			}
		}
	}
}

// End returns the Construct or Produce node that ends the chain.
func (v ChainView) End() Node {
	for c := range v.Children() {
		if c.Kind() == Construct || c.Kind() == Produce {
			return c
		}
	}
	return Node{}
}

// Arms returns the arms under the last step.
func (v ChainView) Arms() func(yield func(ArmView) bool) {
	return func(yield func(ArmView) bool) {
		for c := range v.ChildrenOf(Arm) {
			if !yield(ArmView{c}) {
				return
			}
		}
	}
}

// CallView is one invocation.
type CallView struct{ Node }

// Path returns the callee.
func (v CallView) Path() Token { return v.name() }

// Label returns the #label's name, or the zero Token.
func (v CallView) Label() Token { return v.Child(Label).name() }

// Variant returns the text of |variant without the bar, or "".
func (v CallView) Variant() string { return strings.TrimPrefix(v.Child(Variant).Text(), "|") }

// ArgList returns the parentheses, or the zero Node if there are none.
func (v CallView) ArgList() Node { return v.Child(Args) }

// Args returns the arguments in order.
func (v CallView) Args() func(yield func(ArgView) bool) { return argsOf(v.Child(Args)) }

func argsOf(list Node) func(yield func(ArgView) bool) {
	return func(yield func(ArgView) bool) {
		for c := range list.ChildrenOf(Arg) {
			if !yield(ArgView{c}) {
				return
			}
		}
	}
}

// Block returns the source block of any dialect, or the zero Node.
func (v CallView) Block() Node {
	for c := range v.Children() {
		switch c.Kind() {
		case Block, FileBlock, GrantBlock, ConstBlock, ColumnBlock, AssignBlock, TemplateBlock, TestBlock:
			return c
		}
	}
	return Node{}
}

// Bind returns the binding after the call.
func (v CallView) Bind() BindView { return BindView{v.Child(Bind)} }

// JumpView is @label(args).
type JumpView struct{ Node }

// Label returns the label's name.
func (v JumpView) Label() Token { return v.name() }

// ArgList returns the parentheses, or the zero Node if there are none.
func (v JumpView) ArgList() Node { return v.Child(Args) }

// Args returns the arguments.
func (v JumpView) Args() func(yield func(ArgView) bool) { return argsOf(v.Child(Args)) }

// ArgView is one argument.
type ArgView struct{ Node }

// Label returns the label, or the zero Token of a bare argument.
func (v ArgView) Label() Token {
	if !v.Has(Colon) {
		return Token{}
	}
	return v.name()
}

// Value returns the argument's value.
func (v ArgView) Value() Node { return v.FirstChild() }

// Pun returns the name that a bare argument puns to: the last segment of a
// dotted name path, or "" if the value is something else (language.md 8.1).
func (v ArgView) Pun() string { return punOf(v.Value()) }

func punOf(n Node) string {
	last := ""
	for first := true; ; first = false {
		switch n.Kind() {
		case NameExpr:
			if first {
				last = n.Text()
			}
			return last
		case FieldExpr:
			t := n.Token(Name)
			if !t.IsValid() {
				return ""
			}
			if first {
				last = t.Text()
			}
			n = n.FirstChild()
		default:
			return ""
		}
	}
}

// BindView is what a call or an arm binds its payload to.
type BindView struct{ Node }

// Name returns the binding's name (_ to discard), or the zero Token.
func (v BindView) Name() Token { return v.name() }

// Destructure returns the braces of a destructuring binding.
func (v BindView) Destructure() Node { return v.Child(Destructure) }

// BindFieldView is one field of a destructure.
type BindFieldView struct{ Node }

// Field returns the name of the field that is taken; _ skips.
func (v BindFieldView) Field() Token { return v.name() }

// As returns the token after the colon: a new name, or a path or type.
func (v BindFieldView) As() Token {
	colon := false
	for t := range v.own() {
		if colon {
			return t
		}
		colon = t.Kind() == Colon
	}
	return Token{}
}

// Nested returns the braces of a nested destructure.
func (v BindFieldView) Nested() Node { return v.Child(Destructure) }

// ArmView is one handler.
type ArmView struct{ Node }

// Effect reports whether the arm handles an effect (!).
func (v ArmView) Effect() bool { return v.FirstToken().Kind() == Bang }

// CatchAll reports |? and !?.
func (v ArmView) CatchAll() bool { return v.Has(Question) }

// Name returns the outcome word; for a catch-all the metatype.
func (v ArmView) Name() Token { return v.name() }

// Bind returns the binding of the payload.
func (v ArmView) Bind() BindView { return BindView{v.Child(Bind)} }

// Guard returns the guard's expression.
func (v ArmView) Guard() Node { return v.Child(Guard).FirstChild() }

// Chain returns the arm's body, or the zero view of a bodiless arm.
func (v ArmView) Chain() ChainView { return ChainView{v.Child(Chain)} }

// Arrow returns the |> in front of the body, if there is one.
func (v ArmView) Arrow() Token { return v.Token(PipeArrow) }

// ConstructView is => arm value.
type ConstructView struct{ Node }

// Name returns the outcome that is constructed.
func (v ConstructView) Name() Token { return v.name() }

// Value returns the payload, or the zero Node.
func (v ConstructView) Value() Node { return v.FirstChild() }

// ProduceView is -> value.
type ProduceView struct{ Node }

// Value returns the expression, or a Call node.
func (v ProduceView) Value() Node { return v.FirstChild() }

// SpliceView is {{ expr:spec }}.
type SpliceView struct{ Node }

// Expr returns the spliced expression.
func (v SpliceView) Expr() Node {
	if c := v.FirstChild(); c.Kind() != ErrorNode {
		return c
	}
	return Node{}
}

// Spec returns the format spec after the colon, or the zero Token.
func (v SpliceView) Spec() Token {
	colon := false
	for t := range v.own() {
		if colon && t.Kind() == Name {
			return t
		}
		colon = t.Kind() == Colon
	}
	return Token{}
}

// Broken reports whether the splice holds text that is no expression.
func (v SpliceView) Broken() bool { return v.Child(ErrorNode).IsValid() || !v.FirstChild().IsValid() }

// RecordFieldView is one field of a record or one entry of an assignment block.
type RecordFieldView struct{ Node }

// Label returns the label, or the zero Token of a pun.
func (v RecordFieldView) Label() Token {
	if !v.Has(Colon) {
		return Token{}
	}
	return v.name()
}

// Value returns the value.
func (v RecordFieldView) Value() Node { return v.FirstChild() }

// Pun returns the name a field without label puns to, or "".
func (v RecordFieldView) Pun() string { return punOf(v.Value()) }

// GrantView is one grant of a register block.
type GrantView struct{ Node }

// Source returns the path left of the arrow, or the verb if there is no arrow.
func (v GrantView) Source() Token { return v.name() }

// Verb returns the name under which the scope exposes the verb.
func (v GrantView) Verb() Token {
	verb := Token{}
	for t := range v.own() {
		if t.Kind() == Name || t.Kind() == Path {
			verb = t
		}
	}
	return verb
}

// Cost returns the value in the parentheses, or the zero Node.
func (v GrantView) Cost() Node { return v.Child(Args).Child(Arg).FirstChild() }

// IncludeName returns the scope that a GrantInclude node names.
func IncludeName(n Node) Token {
	open := false
	for t := range n.own() {
		if open && (t.Kind() == Name || t.Kind() == Path) {
			return t
		}
		open = open || t.Kind() == LParen
	}
	return Token{}
}

// AssignView is `path: value` of an assignment block, or a pun.
type AssignView struct{ Node }

// Target returns the path that is written; for a pun the punned value.
func (v AssignView) Target() Node { return v.FirstChild() }

// Value returns the value, which for a pun is the target itself.
func (v AssignView) Value() Node {
	if second := v.nth(1); second.IsValid() {
		return second
	}
	return v.FirstChild()
}

// Punned reports whether the entry has no label.
func (v AssignView) Punned() bool { return !v.Has(Colon) }

// Pun returns the name a punned entry assigns to, or "".
func (v AssignView) Pun() string { return punOf(v.FirstChild()) }

// ColumnView is one column of a store, or one entry of a const block.
type ColumnView struct{ Node }

// Name returns the column's name, or the zero Token of an anonymous column.
func (v ColumnView) Name() Token {
	if !v.Has(Colon) && !v.Has(Equal) {
		return Token{}
	}
	return v.name()
}

// Type returns the declared type, or the zero view.
func (v ColumnView) Type() TypeView { return TypeView{v.Child(Type)} }

// Value returns the initial value, or the zero Node.
func (v ColumnView) Value() Node {
	for c := range v.Children() {
		if c.Kind() != Type {
			return c
		}
	}
	return Node{}
}

// Operator returns the operator token of a unary or binary expression.
func Operator(n Node) Token {
	for t := range n.own() {
		return t
	}
	return Token{}
}

// Operand returns the i-th operand of an expression, counted from 0.
func Operand(n Node, i int) Node { return n.nth(i) }

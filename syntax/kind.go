package syntax

// Kind names what a token or a node is.
type Kind uint8

// Invalid is the kind of a zero Node or Token.
const Invalid Kind = 0

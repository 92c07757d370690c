// The words of Koru, written from package syntax by the test of
// editors/internal/words.

// words: declarations
export const declarations = [
  "pub", "tor", "proc", "import",
];
// end words
// words: flow-words
export const flowWords = [
  "when", "if", "else",
];
// end words
// words: operator-words
export const operatorWords = [
  "and", "or", "not", "orelse",
];
// end words
// words: literals
export const literals = [
  "true", "false", "null",
];
// end words
// words: control-verbs
export const controlVerbs = [
  "if", "for", "while", "cond", "capture", "captured", "const",
];
// end words
// words: types
export const types = [
  "string", "bool", "i8", "i16", "i32", "i64", "i128", "u8", "u16", "u32",
  "u64", "u128", "usize", "isize", "f32", "f64",
];
// end words
// words: annotations
export const annotations = [
  "comptime", "runtime", "transform", "pre", "keyword", "norun", "abstract",
  "retain", "command", "pure", "with", "name", "depends_on", "build", "strict",
  "prototype", "aspirational", "mutable", "doc", "debug",
];
// end words
// words: spoken
export const spoken = [
  "say", "note",
];
// end words
// words: flow-operators
export const flowOperators = [
  "|>", "=>", "->", "?!", "|", "!", "?", "#", "@", "~",
];
// end words
// words: operators
export const operators = [
  "..", "<=", ">=", "==", "!=", "++", "&&", "||", ".*", "=", "<", ">", "+",
  "-", "*", "/", "%", "&",
];
// end words
// words: punctuation
export const punctuation = [
  ":", ",", ".", ";",
];
// end words
// words: grant-verbs
export const grantVerbs = [
  "std/runtime:register",
];
// end words
// words: const-verbs
export const constVerbs = [
  "const", "std/control:const",
];
// end words
// words: column-verbs
export const columnVerbs = [
  "std/grid:new", "std/store:new",
];
// end words
// words: assign-verbs
export const assignVerbs = [
  "capture", "captured", "std/control:capture", "std/control:captured",
  "std/grid:stored", "std/store:insert", "std/store:stored",
];
// end words
// words: template-verbs
export const templateVerbs = [
  "std/fmt:blk", "std/io:print.blk",
];
// end words
// words: test-verbs
export const testVerbs = [
  "std/testing:test",
];
// end words

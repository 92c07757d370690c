// The colours of Koru for CodeMirror: a tokenizer that reads a line at a time.
// It keeps a stack of contexts, as the parser of the language does: a string, a
// splice, the body of a proc, a block that the language does not read.
import { HighlightStyle, LanguageSupport, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';
import * as words from './words.js';

const name = '[A-Za-z_](?:\\w|-(?=\\w))*';
const dotted = `${name}(?:\\.${name})*`;
const module = `[A-Za-z_]\\w*(?:/${name})*`;
const quote = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const any = (list) => `(?:${list.map(quote).join('|')})`;
const sticky = (source) => new RegExp(source, 'y');

const patterns = {
  proc: sticky(`(proc)(\\s+)((?:${module}:)?${dotted})((?:\\|[\\w-]+)*)(?=\\s*\\{)`),
  tor: sticky(`tor(?=\\s+${name})`),
  path: sticky(`${module}:(?=[A-Za-z_])`),
  verb: sticky(`${dotted}(?=\\s*\\()`),
  step: sticky(`${dotted}(?=\\s*(?:$|[|{:]|[-=]>|//))`),
  head: sticky(`(?:${module}:)?${dotted}(?:\\|${name})?(?=\\s*(?:=(?![=>])|=>|->))`),
  opaque: sticky(`(?:${module}:)?${dotted}(?:\\s*<\\w+>)?(?=\\s*\\{)`),
  arm: sticky(`[|!]\\s*(?:\\?!?)?(?=\\s*(?:${name}|\`|\\[))`),
  catchAll: sticky('(?:\\|\\?|!\\?)(?=\\s)'),
  name: sticky(name),
  word: sticky('[A-Za-z_]\\w*'),
  phantom: sticky("<(?:\\w+')?!?[A-Za-z_][\\w/:.|!-]*>"),
  number: sticky('0[xX][0-9A-Fa-f_]+|\\d[\\d_]*(?:\\.\\d[\\d_]*)?(?:[eE][+-]?\\d+)?'),
  character: sticky("'(?:\\\\[^']*|[^'\\\\])'"),
  raw: sticky('`[^`]*`|\\[[^\\]]*\\]'),
  regexp: sticky('/(?![/*])(?:\\\\.|\\[(?:\\\\.|[^\\]\\\\])*\\]|[^/\\\\\\[])+/[a-z]*'),
  annotations: sticky(`\\[${any(words.annotations)}(?:\\|[\\w!]+)*\\]|\\[\\w+\\](?=[A-Za-z_])`),
  inline: sticky('\\[[^\\]]*\\]'),
  readBlock: sticky(any([...words.grantVerbs, ...words.constVerbs, ...words.columnVerbs, ...words.assignVerbs, ...words.testVerbs])),
  templateBlock: sticky(`${any(words.templateVerbs)}(?=\\s*\\{)`),
  operator: sticky(any(words.operators)),
  flow: sticky(any(words.flowOperators)),
  unequal: sticky('!=|\\|\\|'),
  control: sticky(`${any(words.controlVerbs)}(?=\\s*[({])`),
  field: sticky('[A-Za-z_]\\w*(?=:(?:[\\s\\d"\'\\[{(-]|$))'),
};

// at matches a pattern at the place of the stream and takes what it matched.
function at(stream, pattern) {
  pattern.lastIndex = stream.pos;
  const found = pattern.exec(stream.string);
  if (found) stream.pos += found[0].length;
  return found;
}

const set = (list) => new Set(list);
const literals = set(words.literals);
const types = set(words.types);
const flowWords = set(words.flowWords);
const operatorWords = set(words.operatorWords);
const declarations = set(words.declarations);
const annotations = set(words.annotations);

const contexts = {
  // Text between quotes, which ends with its line at the latest.
  string(stream, state) {
    if (stream.match('"')) { state.pop(); return 'string'; }
    if (stream.match('{{')) { state.push({ context: 'splice' }); return 'splice'; }
    if (stream.match(/^\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|.)/)) return 'escape';
    stream.match(/^(?:[^"\\{]|\{(?!\{))+/) || stream.next();
    return 'string';
  },

  splice(stream, state) {
    if (stream.eatSpace()) return null;
    if (stream.match('}}')) { state.pop(); return 'splice'; }
    if (stream.match('"', false)) { state.pop(); return null; }
    if (stream.match(/^:\s*\w+(?=\s*\}\})/)) return 'type';
    return expression(stream, state);
  },

  // Annotations over several lines, with their prose.
  annotation(stream, state) {
    if (stream.sol() && stream.eatSpace()) return null;
    if (stream.match('//')) { stream.skipToEnd(); return 'comment'; }
    if (stream.match(']')) { state.pop(); return 'bracket'; }
    if (stream.match(/^[-*+] /)) { state.push({ context: 'bullet', line: true }); return 'bracket'; }
    stream.skipToEnd();
    return 'prose';
  },

  bullet(stream, state) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^"(?:\\.|[^"\\])*"?/)) return 'string';
    const word = at(stream, patterns.name);
    if (word) return annotations.has(word[0]) || !state.top.arguments ? 'annotation' : 'name';
    state.top.arguments = stream.next() === '(' || (state.top.arguments && !stream.match(')', false));
    return 'punctuation';
  },

  // A body in another language: only its braces, texts and comments are ours.
  body(stream, state) {
    if (stream.eatSpace()) return 'body';
    const { top } = state;
    if (stream.match('//') || stream.match('\\\\')) { stream.skipToEnd(); return 'body comment'; }
    if (stream.match(/^"(?:\\.|[^"\\])*"?/) || stream.match(/^'(?:\\.|[^'\\])*'/)) return 'body string';
    if (stream.match('`')) { state.push({ context: 'template literal' }); return 'body string'; }
    if (top.js && /(?:^|[=(,:!&|?{};])\s*$/.test(stream.string.slice(0, stream.pos)) && at(stream, patterns.regexp)) return 'body string';
    if (stream.match('{')) { top.depth++; return 'body bracket'; }
    if (stream.match('}')) {
      if (--top.depth > 0) return 'body bracket';
      state.pop();
      return 'bracket';
    }
    stream.match(/^[\w$@]+/) || stream.next();
    return /^(?:const|let|var|fn|function|return|if|else|for|while|switch|try|catch)$/.test(stream.current()) ? 'body keyword' : 'body';
  },

  'template literal'(stream, state) {
    if (stream.match('`')) { state.pop(); return 'body string'; }
    if (stream.match('${')) { state.push({ context: 'body', js: true, depth: 1 }); return 'body bracket'; }
    stream.match(/^(?:\\.|\$(?!\{)|[^`\\$])+/) || stream.next();
    return 'body string';
  },

  // A block whose text is handed over as it is.
  block(stream, state) {
    const { top } = state;
    if (stream.match('{{')) { state.push({ context: 'splice' }); return 'splice'; }
    if (stream.match(/^\{%.*?%\}/)) return 'splice';
    if (!top.template && stream.match(/^"(?:\\.|[^"\\])*"/)) return 'opaque string';
    if (stream.match('{')) { top.depth++; return 'opaque'; }
    if (stream.match('}')) {
      if (--top.depth > 0) return 'opaque';
      state.pop();
      return 'bracket';
    }
    stream.match(/^[^{}"]+/) || stream.next();
    return top.template ? 'string' : 'opaque';
  },

  koru: flow,
};

// flow reads a token of Koru where a flow or a declaration stands.
function flow(stream, state) {
  const start = stream.string.slice(0, stream.pos).trim() === '' || /(?:^\s*~?\[[^\]]*\]\s*)$/.test(stream.string.slice(0, stream.pos));
  const step = /\|>\s*$/.test(stream.string.slice(0, stream.pos));
  if (stream.eatSpace()) return null;
  if (stream.match('//')) { stream.skipToEnd(); return 'comment'; }
  if (start && stream.match(/^\[\s*(?=$|\/\/)/)) { state.push({ context: 'annotation' }); return 'bracket'; }
  if ((start || step) && at(stream, patterns.inline)) return 'annotation';
  if (start && at(stream, patterns.catchAll)) { state.meta = true; return 'flow'; }
  if (start && at(stream, patterns.arm)) { state.arm = 'name'; return 'flow'; }
  if (state.arm) return arm(stream, state);
  if (at(stream, patterns.annotations)) return 'annotation';
  const before = stream.pos > 0 ? stream.string[stream.pos - 1] : ' ';
  if (!/[\w.:/-]/.test(before)) {
    const proc = at(stream, patterns.proc);
    if (proc) {
      const js = /\|js(?:\||$)/.test(proc[4]);
      state.next = { context: 'body', js, depth: 1 };
      stream.pos -= proc[0].length - 4;
      return 'declaration';
    }
    if (at(stream, patterns.tor)) { state.declares = true; return 'declaration'; }
    if (at(stream, patterns.templateBlock)) { state.next = { context: 'block', template: true, depth: 1 }; return 'verb'; }
    if (at(stream, patterns.readBlock)) { state.read = true; return 'verb'; }
    if (!state.next && !state.depth && (start || step || /[^=<>!]=\s+$/.test(stream.string.slice(0, stream.pos)) || /\]\s*$/.test(stream.string.slice(0, stream.pos)))) {
      patterns.opaque.lastIndex = stream.pos;
      const word = stream.string.slice(stream.pos).match(/^\w+/);
      if (patterns.opaque.test(stream.string) && !(word && (words.controlVerbs.includes(word[0]) || declarations.has(word[0])))) {
        at(stream, patterns.opaque);
        state.next = { context: 'block', depth: 1 };
        return 'verb';
      }
    }
    if (start && at(stream, patterns.head)) return 'declared';
    if (step && at(stream, patterns.step)) return 'verb';
  }
  if (stream.match('=>')) { state.arm = 'construct'; return 'flow'; }
  if (stream.match(/^#/) && at(stream, patterns.name)) return 'label';
  if (step && stream.match('@') && at(stream, patterns.name)) return 'label';
  if (stream.match('{', false)) {
    const closed = /\)\s*$/.test(stream.string.slice(0, stream.pos));
    stream.next();
    if (state.next) { state.push(state.next); state.next = null; } else if (closed && !state.read) state.push({ context: 'block', depth: 1 });
    else state.push({ context: 'koru', braces: true });
    state.read = false;
    return 'bracket';
  }
  if (state.top.braces && stream.match('}')) { state.pop(); state.bindable = true; return 'bracket'; }
  if (stream.match(/^[([]/)) { state.depth++; return 'bracket'; }
  if (stream.match(/^[)\]]/)) { state.depth = Math.max(0, state.depth - 1); return 'bracket'; }
  if (/[)}]\s*$/.test(stream.string.slice(0, stream.pos)) && stream.match(':')) { state.arm = 'binding'; return 'punctuation'; }
  return expression(stream, state);
}

// arm reads what an arm or a constructor begins with: its name, its binding.
function arm(stream, state) {
  const what = state.arm;
  state.arm = null;
  if (what === 'binding') return at(stream, patterns.word) ? 'binding' : flow(stream, state);
  const named = stream.match(/^`[^`]*`/) || (what === 'name' && stream.match(/^\[[^\]]*\]/)) ? 'raw' : at(stream, patterns.name) && 'outcome';
  if (!named) return flow(stream, state);
  const binds = stream.string.slice(stream.pos).match(/^\s+([a-z_]\w*)(?=\s*(?:\[[^\]]*\]\s*)?(?:\|>|=>|->|when\b|$|\/\/))/);
  if (what === 'name' && binds && binds[1] !== 'when' && !types.has(binds[1])) state.arm = 'binding';
  return named;
}

// expression reads a token of an expression or a type.
function expression(stream, state) {
  if (stream.match('"')) { state.push({ context: 'string', line: true }); return 'string'; }
  if (at(stream, patterns.character)) return 'character';
  const before = stream.pos > 0 ? stream.string[stream.pos - 1] : ' ';
  if (/[\w\]]/.test(before) && at(stream, patterns.phantom)) return 'state';
  if (!/[\w]/.test(before) && at(stream, patterns.number)) return 'number';
  if (stream.match(/^@\w+(?=\()/)) return 'verb';
  if (!/[\w.:/-]/.test(before)) {
    if (at(stream, patterns.path)) { state.qualified = true; return 'module'; }
    if (at(stream, patterns.control)) return 'keyword';
    const verb = at(stream, patterns.verb);
    if (verb && !flowWords.has(verb[0]) && !operatorWords.has(verb[0])) return 'verb';
    if (verb) return 'keyword';
  }
  if (state.qualified) {
    state.qualified = false;
    const verb = stream.match(/^[A-Z]\w*/) ? 'type' : stream.match(new RegExp(`^${dotted}`)) && 'verb';
    if (verb) return verb;
  }
  if (at(stream, patterns.field)) return 'field';
  const word = at(stream, patterns.word);
  if (word) {
    const [text] = word;
    if (state.declares) { state.declares = false; stream.match(/^(?:[\w.-])+/); return 'declared'; }
    if (text === 'import') { stream.match(new RegExp(`^\\s+${module}`), false); return 'declaration'; }
    if (declarations.has(text)) return 'declaration';
    if (literals.has(text)) return 'literal';
    if (types.has(text)) return 'type';
    if (flowWords.has(text)) return 'keyword';
    if (operatorWords.has(text)) return 'keyword';
    if (state.meta && /^[A-Z]/.test(text)) { state.meta = false; state.arm = 'binding'; stream.eatSpace(); return 'outcome type'; }
    if (/^[A-Z][A-Z0-9_]+$/.test(text)) return 'literal';
    return /^[A-Z]/.test(text) ? 'type' : 'name';
  }
  if (at(stream, patterns.unequal) || at(stream, patterns.flow)) return stream.current() === '!=' || stream.current() === '||' ? 'operator' : 'flow';
  if (at(stream, patterns.operator)) return 'operator';
  stream.next();
  return 'punctuation';
}

// State is the stack of contexts and what the tokens before have promised.
class State {
  constructor(from) {
    this.stack = from ? from.stack.map((c) => ({ ...c })) : [{ context: 'koru' }];
    this.depth = from ? from.depth : 0;
    this.next = from ? from.next : null;
    this.read = from ? from.read : false;
    this.clear();
  }
  get top() { return this.stack[this.stack.length - 1]; }
  push(context) { this.stack.push(context); }
  pop() { if (this.stack.length > 1) this.stack.pop(); }
  clear() { this.arm = null; this.declares = this.qualified = this.meta = false; }
}

export const tokenizer = {
  name: 'koru',
  startState: () => new State(),
  copyState: (state) => new State(state),
  token(stream, state) {
    if (stream.sol()) {
      while (state.top.line || state.top.context === 'splice') state.pop();
      state.clear();
    }
    return contexts[state.top.context](stream, state);
  },
  blankLine(state) {
    while (state.top.line) state.pop();
    if (state.stack.length === 1) { state.depth = 0; state.next = null; state.read = false; }
  },
  indent: (state, after, { unit }) => {
    const open = state.stack.filter((c) => c.braces || c.depth).length + state.depth;
    return Math.max(0, open - (/^\s*[)\]}]/.test(after) ? 1 : 0)) * unit;
  },
  languageData: { commentTokens: { line: '//' }, closeBrackets: { brackets: ['(', '[', '{', '"', '`'] }, wordChars: '-' },
  tokenTable: {
    prose: tags.docComment, character: tags.character, raw: tags.special(tags.string), splice: tags.special(tags.brace),
    flow: tags.controlOperator, state: tags.modifier, outcome: tags.special(tags.propertyName), binding: tags.definition(tags.variableName),
    label: tags.labelName, annotation: tags.annotation, declaration: tags.definitionKeyword, declared: tags.definition(tags.function(tags.variableName)),
    verb: tags.function(tags.variableName), module: tags.namespace, field: tags.propertyName, type: tags.typeName, literal: tags.literal,
    number: tags.number, keyword: tags.keyword, operator: tags.operator, punctuation: tags.punctuation, bracket: tags.bracket,
    escape: tags.escape, name: tags.variableName, body: tags.content, opaque: tags.content, string: tags.string, comment: tags.lineComment,
  },
};

const style = HighlightStyle.define([
  { tag: tags.lineComment, color: '#6a737d', fontStyle: 'italic' },
  { tag: tags.docComment, color: '#4d7a5a' },
  { tag: [tags.string, tags.character], color: '#0b5394' },
  { tag: tags.special(tags.string), color: '#0b5394', fontWeight: 'bold' },
  { tag: [tags.special(tags.brace), tags.escape], color: '#b45f06' },
  { tag: [tags.definitionKeyword, tags.keyword, tags.controlOperator], color: '#a626a4' },
  { tag: tags.special(tags.propertyName), color: '#986801', fontWeight: 'bold' },
  { tag: [tags.typeName, tags.number, tags.literal], color: '#0184bb' },
  { tag: tags.modifier, color: '#c0392b' },
  { tag: [tags.function(tags.variableName), tags.definition(tags.function(tags.variableName))], color: '#4078f2' },
  { tag: tags.namespace, color: '#50617a' },
  { tag: [tags.annotation, tags.labelName], color: '#8a6d3b' },
]);

export function koru() {
  return new LanguageSupport(StreamLanguage.define(tokenizer), [syntaxHighlighting(style)]);
}

const test = require('node:test');
const assert = require('node:assert/strict');
const path = require('node:path');
const { editors } = require('./project.js');
const { agreement } = require('./agreement.js');

const web = path.join(editors, 'web');

// names returns the token names of every byte.
async function names(_, bytes) {
  const { tokenizer } = await import(path.join(web, 'src', 'koru.js'));
  const { StringStream } = await import('@codemirror/language');
  const state = tokenizer.startState();
  const seen = new Array(bytes.length);
  let start = 0;
  for (const line of bytes.toString('utf8').split('\n')) {
    if (line === '') tokenizer.blankLine(state);
    const stream = new StringStream(line, 4, 4);
    while (!stream.eol()) {
      stream.start = stream.pos;
      const name = tokenizer.token(stream, state);
      assert.ok(stream.pos > stream.start || state.top, 'a token is never empty');
      const from = Buffer.byteLength(line.slice(0, stream.start));
      seen.fill(name ?? '', start + from, start + Buffer.byteLength(line.slice(0, stream.pos)));
    }
    start += Buffer.byteLength(line) + 1;
  }
  return seen;
}

const classes = {
  comment: /comment/,
  prose: /prose/,
  string: /string|opaque|escape/,
  character: /character/,
  number: /number/,
  raw: /raw/,
  flow: /flow/,
  splice: /splice/,
  body: /body/,
  import: /declaration/,
  declaration: /declaration/,
  annotation: /annotation/,
  outcome: /outcome/,
  state: /state/,
  binding: /binding/,
  label: /label/,
};

// The page shows .k files only: what a host file holds is not compared.
test('the tokenizer of CodeMirror and the parser read programs alike', async () => {
  await agreement(assert, names, classes, /\.k$/);
});

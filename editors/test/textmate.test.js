const test = require('node:test');
const assert = require('node:assert/strict');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { editors } = require('./project.js');
const { agreement } = require('./agreement.js');
const { scopes } = require('./textmate.js');

const classes = {
  comment: /comment/,
  prose: /comment\.block\.documentation/,
  string: /string|meta\.embedded/,
  character: /string\.quoted\.single/,
  number: /constant\.numeric/,
  raw: /string\.other\.raw/,
  flow: /keyword\.operator/,
  splice: /punctuation\.section\.embedded/,
  host: /meta\.embedded\.host|comment/,
  body: /meta\.embedded\.block/,
  import: /keyword\.control\.import/,
  declaration: /storage/,
  annotation: /meta\.annotation/,
  outcome: /enummember|support\.type/,
  state: /attribute-name\.state|parameter\.state|namespace/,
  binding: /variable\.other\.definition|discard/,
  label: /entity\.name\.label/,
};

test('the TextMate grammar and the parser read programs alike', async () => {
  await agreement(assert, (_, bytes) => scopes('source.koru', bytes), classes);
});

// UPDATE=1 writes what the grammars say of the samples.
test('the colours of the samples are those of the snapshots', () => {
  const snap = path.join(editors, 'node_modules', '.bin', 'vscode-tmgrammar-snap');
  const options = { cwd: path.join(editors, 'vscode'), stdio: 'pipe' };
  const sample = (kind) => path.join('..', 'testdata', `sample.${kind}`);
  const update = process.env.UPDATE ? ['-u'] : [];
  execFileSync(snap, [...update, '--scope', 'source.koru', sample('k'), sample('kz'), sample('kjs')], options);
  execFileSync(snap, [...update, '--scope', 'source.koru.wire', sample('koru-wire')], options);
});

test('every pattern compiles', async () => {
  const text = Buffer.from('x');
  assert.match((await scopes('source.koru', text))[0], /^source\.koru/);
  assert.match((await scopes('source.koru.wire', text))[0], /^source\.koru\.wire/);
});

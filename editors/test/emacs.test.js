const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { editors, needs, workspace } = require('./project.js');
const { agreement } = require('./agreement.js');
const { environment, snippet } = require('./snippet.js');
const shop = require('./shop.js');

const mode = path.join(editors, 'emacs');

// lacking is needs for a package of Emacs.
function lacking(name) {
  if (needs('emacs') || process.env.EDITORS === 'all') return needs('emacs');
  const { status } = spawnSync('emacs', ['--batch', '-f', 'package-initialize', '-l', name], { stdio: 'ignore' });
  return status !== 0 && `${name} not installed`;
}

// emacs runs the real editor with our mode and nobody's settings.
function emacs(args, env = {}) {
  const result = spawnSync('emacs', ['-Q', '--batch', '-L', mode, '-l', 'koru-mode', ...args],
    { env: { ...process.env, ...env }, encoding: 'utf8', timeout: 120000 });
  assert.equal(result.error, undefined);
  assert.equal(result.status, 0, result.stderr);
  return result;
}

// faces returns the context and the face of every byte.
function faces(file) {
  const out = path.join(os.tmpdir(), `koru-emacs-${process.pid}`);
  emacs(['-l', path.join(__dirname, 'dump.el'), file, out]);
  const seen = [];
  for (const run of fs.readFileSync(out, 'utf8').split('\n')) {
    const at = run.indexOf('\t');
    for (let i = 0; i < Number(run.slice(0, at)); i++) seen.push(run.slice(at + 1));
  }
  fs.rmSync(out);
  return seen;
}

const classes = {
  comment: /comment/,
  prose: /^prose .*doc-face/,
  string: /string-face|^opaque/,
  character: /string-face/,
  number: /koru-number/,
  raw: /string-face/,
  flow: /koru-flow/,
  splice: /koru-splice/,
  host: /^host/,
  body: /^body/,
  import: /keyword/,
  declaration: /keyword/,
  annotation: /preprocessor/,
  outcome: /koru-outcome|type-face/,
  state: /koru-state|koru-possession/,
  binding: /variable-name/,
  label: /koru-label/,
};

test('the mode of Emacs and the parser read programs alike', { skip: needs('emacs') }, async () => {
  await agreement(assert, faces, classes);
});

test('the mode compiles without a warning', { skip: needs('emacs') }, (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'koru-elc-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  fs.copyFileSync(path.join(mode, 'koru-mode.el'), path.join(folder, 'koru-mode.el'));
  const result = spawnSync('emacs', ['-Q', '--batch', '--eval', '(setq byte-compile-error-on-warn t)', '-f', 'batch-byte-compile',
    path.join(folder, 'koru-mode.el')], { encoding: 'utf8' });
  assert.equal(result.status, 0, result.stderr);
});

// session runs a script in an Emacs that the README has set up.
function session(t, script, setup = (text) => text, before = []) {
  const folder = workspace(t, shop);
  const init = path.join(workspace(t, { 'init.el': setup(snippet('emacs', 'elisp')) }), 'init.el');
  return spawnSync('emacs', ['--batch', '-f', 'package-initialize', ...before, '-l', init, '-l', path.join(__dirname, script)],
    { cwd: folder, env: environment({ HOME: path.dirname(init) }), encoding: 'utf8', timeout: 180000 });
}

test('eglot writes a scope with the checker at its side', { skip: lacking('eglot') }, (t) => {
  const { stdout, stderr, status } = session(t, 'eglot.el', undefined, ['-l', 'eglot']);
  assert.equal(status, 0, stderr);
  assert.deepEqual(stdout.split('\n').filter((line) => line.startsWith('ok ')), [
    'ok attach', 'ok diagnostics while typing a scope', 'ok completion of an outcome', 'ok a fix applied', 'ok rename across files', 'ok format', 'ok imenu',
  ]);
});

test('lsp-mode starts the server too', { skip: lacking('lsp-mode') }, (t) => {
  const { stdout, stderr, status } = session(t, 'lspmode.el', (text) => text.replace("#'eglot-ensure", "#'lsp"), ['-l', 'lsp-mode']);
  assert.equal(status, 0, stderr);
  assert.deepEqual(stdout.split('\n').filter((line) => line.startsWith('ok ')), ['ok attach', 'ok diagnostics', 'ok format']);
});

// What is typed without a blank in front comes out as the formatter writes it.
test('lines are indented as they are typed', { skip: needs('emacs') }, (t) => {
  const want = `std/runtime:register(scope: "shop") {
    greet(1)
    find(2)
}

find(sku: "A")
| found shelf |> note(
    text: "{",
    by: shelf
)
| unknown |> _

tor after {}
`;
  const folder = workspace(t, { text: want.replace(/^ +/gm, '') });
  spawnSync('emacs', ['-Q', '--batch', '-L', mode, '-l', 'koru-mode', '-l', path.join(__dirname, 'indent.el')], { cwd: folder, timeout: 60000 });
  assert.equal(fs.readFileSync(path.join(folder, 'typed.k'), 'utf8'), want);
});

test('the wire has colours of its own', { skip: needs('emacs') }, () => {
  const file = path.join(editors, 'testdata', 'sample.koru-wire');
  const bytes = fs.readFileSync(file);
  const seen = faces(file);
  const at = (text) => seen[bytes.indexOf(text)];
  assert.match(at('say:'), /keyword/);
  assert.match(at('Your total'), /string/);
  assert.match(at('dear item'), /koru-outcome/);
  assert.match(at('item |> buy'), /variable-name/);
  assert.match(at('r1.sku'), /variable-name/);
  assert.match(at('lines, {{'), /string/);
  assert.doesNotMatch(at('// no comment'), /comment/);
});

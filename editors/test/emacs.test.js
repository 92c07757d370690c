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

test('eglot writes a scope with the checker at its side', { skip: needs('emacs') }, (t) => {
  const { stdout, stderr, status } = session(t, 'eglot.el', undefined, ['-l', 'eglot']);
  assert.equal(status, 0, stderr);
  assert.deepEqual(stdout.split('\n').filter((line) => line.startsWith('ok ')), [
    'ok attach', 'ok diagnostics while typing a scope', 'ok completion of an outcome', 'ok a fix applied', 'ok rename across files', 'ok format', 'ok imenu',
  ]);
});

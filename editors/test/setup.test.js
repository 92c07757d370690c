// What the READMEs tell people to copy is what the folders hold, and can be read
// by those who are to read it.
const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { editors, needs } = require('./project.js');
const { snippet } = require('./snippet.js');
const { manifest } = require('./textmate.js');

const toml = (text) => JSON.parse(execFileSync('python3', ['-c', 'import sys, json, tomllib; print(json.dumps(tomllib.loads(sys.stdin.read())))'], { input: text }));
const noTOML = needs('python3') || (() => {
  try { execFileSync('python3', ['-c', 'import tomllib'], { stdio: 'ignore' }); return false; } catch { return 'python3 is older than 3.11'; }
})();

test('Helix is told of both languages', { skip: noTOML }, () => {
  const text = snippet('helix', 'toml');
  assert.equal(fs.readFileSync(path.join(editors, 'helix', 'languages.toml'), 'utf8'), text);
  const { language, 'language-server': server } = toml(text);
  assert.deepEqual(server, { koru: { command: 'koru', args: ['lsp'] } });
  assert.deepEqual(language.map((l) => l.name), manifest.contributes.languages.map((l) => l.id));
  for (const l of language) assert.deepEqual(l['language-servers'], ['koru']);
});

test('Zed is told of the server', { skip: noTOML }, () => {
  const settings = JSON.parse(snippet('zed', 'json'));
  const extension = toml(fs.readFileSync(path.join(editors, 'zed', 'extension.toml'), 'utf8'));
  assert.deepEqual(Object.keys(extension.language_servers), Object.keys(settings.lsp));
  assert.deepEqual(settings.lsp.koru.binary.arguments, ['lsp']);
});

test('Sublime and coc.nvim are told of the server', () => {
  assert.deepEqual(JSON.parse(snippet('sublime', 'json')).clients.koru.command, ['koru', 'lsp']);
  const { koru } = JSON.parse(snippet('vim', 'json')).languageserver;
  assert.deepEqual([koru.command, ...koru.args], ['koru', 'lsp']);
  assert.deepEqual(koru.filetypes, manifest.contributes.languages.map((l) => l.id));
});

test('every editor has the extensions, the comment and the names of VS Code', () => {
  const [koru] = manifest.contributes.languages;
  const read = (name) => fs.readFileSync(path.join(editors, name), 'utf8');
  const { comments } = JSON.parse(read('vscode/language-configuration.json'));
  for (const extension of koru.extensions.map((e) => e.slice(1))) {
    for (const name of ['vim/ftdetect/koru.vim', 'emacs/koru-mode.el', 'sublime/Koru.sublime-syntax', 'helix/languages.toml', 'zed/README.md']) {
      assert.match(read(name), new RegExp(`\\b${extension}\\b`), `${name} does not know .${extension}`);
    }
  }
  assert.ok(read('vim/ftplugin/koru.vim').includes(`commentstring=${comments.lineComment}`));
  assert.ok(read('emacs/koru-mode.el').includes(`comment-start "${comments.lineComment} "`));
  assert.ok(read('helix/languages.toml').includes(`comment-token = "${comments.lineComment}"`));
  assert.ok(read('web/src/koru.js').includes(`line: '${comments.lineComment}'`));
});

test('every snippet of VS Code makes a program without a fault in its form', () => {
  const { plain } = require('./session.js');
  const { koru } = require('./project.js');
  const snippets = JSON.parse(fs.readFileSync(path.join(editors, 'vscode', 'snippets', 'koru.json'), 'utf8'));
  for (const [name, { body }] of Object.entries(snippets)) {
    if (name === 'Arm') continue; // it is part of a flow
    const text = `${plain(body.join('\n').replace(/\$(\d)(?!\d)/g, (all, n) => named(body, n) ?? all))}\n`;
    let faults = [];
    try {
      execFileSync(koru(), ['ast', '-'], { input: text, stdio: 'pipe' });
    } catch (err) {
      ({ faults } = JSON.parse(err.stdout));
    }
    assert.deepEqual(faults, [], `${name}:\n${text}`);
  }
});

// named is the text of the stop n, where it stands with its text.
function named(body, n) {
  return body.join('\n').match(new RegExp(`\\$\\{${n}:([^}]*)\\}`))?.[1];
}

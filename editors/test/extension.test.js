const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { editors, koru, root, workspace } = require('./project.js');
const { editor, load } = require('./vscode.js');
const { extension, manifest } = require('./textmate.js');
const { command, modules, shown } = require(path.join(extension, 'src', 'server.js'));
const shop = require('./shop.js');

const program = `${shop['shop.k']}
std/runtime:register(scope: "shop") {
    greet(2)
}
`;

test('the server is started as the settings say', () => {
  assert.deepEqual(command({}, []), { command: 'koru', args: ['lsp'] });
  assert.deepEqual(command({ path: '${workspaceFolder}/bin/koru', arguments: ['lsp', '--stdio'] }, ['/home/ada/shop']),
    { command: '/home/ada/shop/bin/koru', args: ['lsp', '--stdio'] });
});

test('the answer of a command is shown as what it is', () => {
  for (const [answer, want] of [
    [null, null],
    [{ uri: 'koru-std:/std/io.k' }, { open: 'koru-std:/std/io.k' }],
    [{ title: 'grammar of shop', text: 'a' }, { title: 'grammar of shop', text: 'a' }],
  ]) assert.deepEqual(shown('koru.grammar', answer), want);
});

test('every module of the standard library can be opened', () => {
  const names = fs.readdirSync(path.join(root, 'stdlib')).filter((name) => name.endsWith('.k'));
  assert.deepEqual(modules, names.map((name) => `std/${name.slice(0, -2)}`).sort());
});

test('the extension packs', () => {
  execFileSync('npm', ['run', '-s', 'package'], { cwd: extension, stdio: 'pipe' });
  const vsix = path.join(extension, 'dist', 'koru.vsix');
  assert.ok(fs.statSync(vsix).size > 50_000);
});

test('every command of the manifest is there, and reaches the server', async (t) => {
  const folder = workspace(t, { ...shop, 'shop.k': program });
  const fake = editor({ settings: { path: koru() }, folder, file: path.join(folder, 'shop.k') });
  const { activate, deactivate } = load(path.join(extension, 'dist', 'extension.js'), fake.api);
  const context = { subscriptions: [], asAbsolutePath: (name) => path.join(editors, name) };
  await activate(context);
  t.after(deactivate);
  assert.deepEqual(fake.shown, []);
  for (const { command: name } of manifest.contributes.commands) assert.ok(fake.commands.has(name), name);

  await fake.commands.get('koru.showVocabulary')();
  const vocabulary = fake.shown.at(-1);
  assert.match(vocabulary.document, /^koru-text:\/vocabulary of shop/);
  assert.match(vocabulary.text, /^greet\(name: string\) \[cost 2\]/);

  await fake.commands.get('koru.showGrammar')();
  assert.match(fake.shown.at(-1).document, /grammar of shop/);
  await fake.commands.get('koru.showManifest')();
  assert.match(fake.shown.at(-1).text, /"greet"/);

  await fake.commands.get('koru.openContract')();
  assert.match(fake.shown.at(-1).document, /std\/io\.k/);

  await fake.commands.get('koru.runFile')();
  const { shellPath, shellArgs } = fake.shown.at(-1).terminal;
  assert.match(execFileSync(shellPath, shellArgs, { encoding: 'utf8' }), /on shelf 4/);

  await fake.commands.get('koru.restartServer')();
  await fake.commands.get('koru.showGrammar')();
  assert.match(fake.shown.at(-1).document, /grammar of shop/);
});

test('a server that is not there is named', async (t) => {
  const folder = workspace(t, shop);
  const fake = editor({ settings: { path: '/nowhere/koru' }, folder, file: path.join(folder, 'shop.k') });
  const { activate, deactivate } = load(path.join(extension, 'dist', 'extension.js'), fake.api);
  t.after(deactivate);
  await activate({ subscriptions: [] });
  assert.match(fake.shown.map((s) => s.error ?? '').join(), /Cannot start '\/nowhere\/koru lsp'.*koru\.path/);
});

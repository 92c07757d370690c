const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { workspace } = require('./project.js');
const { Session, plain, rpc } = require('./session.js');
const shop = require('./shop.js');

test('a client of VS Code\'s own library writes a scope with the checker at its side', async (t) => {
  const folder = workspace(t, shop);
  const s = await Session.start(t, folder);
  assert.equal(s.server.serverInfo.name, 'koru');

  await t.test('the program that it opens is right', async () => {
    await s.open('shop.k');
    await s.codes('shop.k');
  });

  await t.test('diagnostics follow what is typed', async () => {
    const end = s.find('shop.k', '{{ name:s }}")\n');
    let at = await s.type('shop.k', end, '\nstd/runtime:register(scope: "shop") {\n    gree');
    await s.shown('shop.k', (list) => list.length > 0); // no brace, no such verb
    at = await s.type('shop.k', at, '(1)\n}\n');
    const [wrong] = await s.codes('shop.k', 'KORU040');
    assert.match(wrong.message, /did you mean 'greet'/);
    assert.equal(s.documents.get(s.uri('shop.k')).getText(wrong.range), 'gree');
    await s.type('shop.k', s.find('shop.k', '    gree'), 't');
    await s.codes('shop.k');
    const versions = s.history.filter((p) => p.uri === s.uri('shop.k')).map((p) => p.version);
    assert.deepEqual(versions, [...versions].sort((a, b) => a - b), 'versions never go back');
  });

  await t.test('an outcome is completed, the missing one first', async () => {
    const at = await s.erase('shop.k', '| unknown |> greet(name: "nobody")\n');
    await s.codes('shop.k', 'KORU022');
    const cursor = await s.type('shop.k', at, '| ');
    const answer = await s.ask(rpc.CompletionRequest.type, 'shop.k', { position: cursor });
    const items = [...(answer.items ?? answer)].sort((a, b) => (a.sortText ?? a.label).localeCompare(b.sortText ?? b.label));
    assert.equal(items[0].label, 'unknown');
    const edit = items[0].textEdit;
    const doc = s.documents.get(s.uri('shop.k'));
    await s.replace(doc, [{ range: edit.range ?? edit.replace, newText: plain(edit.newText) }]);
    assert.match(doc.getText(), /\n\| unknown \|> $/);
    await s.type('shop.k', doc.positionAt(doc.getText().length), '_');
    await s.codes('shop.k');
    await s.erase('shop.k', '| unknown |> _');
    await s.codes('shop.k', 'KORU022');
  });

  await t.test('a fix is offered for what is wrong, and mends it', async () => {
    const diagnostics = await s.codes('shop.k', 'KORU022');
    const actions = await s.ask(rpc.CodeActionRequest.type, 'shop.k', {
      range: diagnostics[0].range, context: { diagnostics, only: [rpc.CodeActionKind.QuickFix] },
    });
    let action = actions.find((a) => /unknown/.test(a.title));
    assert.ok(action, JSON.stringify(actions));
    if (!action.edit) action = await s.connection.sendRequest(rpc.CodeActionResolveRequest.type, action);
    await s.apply(action.edit);
    await s.codes('shop.k');
    assert.match(s.text('shop.k'), /\| unknown \|>/);
  });

  await t.test('hover says what a verb does', async () => {
    const hover = await s.ask(rpc.HoverRequest.type, 'shop.k', { position: s.find('shop.k', 'stock:find-art') });
    assert.match(hover.contents.value, /find-article/);
    assert.match(hover.contents.value, /Look an article up/);
  });

  await t.test('a verb is renamed across files', async () => {
    const position = s.find('shop.k', 'stock:find-art');
    const prepared = await s.ask(rpc.PrepareRenameRequest.type, 'shop.k', { position });
    assert.equal(prepared.placeholder ?? s.documents.get(s.uri('shop.k')).getText(prepared.range ?? prepared), 'find-article');
    const edit = await s.ask(rpc.RenameRequest.type, 'shop.k', { position, newName: 'look-up' });
    await s.apply(edit);
    assert.match(s.text('shop.k'), /stock:look-up\(sku: "A"\)/);
    const module = fs.readFileSync(path.join(folder, 'stock.k'), 'utf8');
    assert.match(module, /pub tor look-up \{/);
    assert.match(module, /proc look-up\|js/);
    assert.doesNotMatch(s.text('shop.k') + module, /find-article/);
    await s.codes('shop.k');
  });

  await t.test('a document is formatted', async () => {
    await s.type('shop.k', s.find('shop.k', 'tor greet {'), '    ');
    const edits = await s.ask(rpc.DocumentFormattingRequest.type, 'shop.k', { options: { tabSize: 4, insertSpaces: true } });
    assert.ok(edits.length > 0);
    await s.replace(s.documents.get(s.uri('shop.k')), edits);
    assert.match(s.text('shop.k'), /\ntor greet \{ name: string \}\n/);
    assert.deepEqual(await s.ask(rpc.DocumentFormattingRequest.type, 'shop.k', { options: { tabSize: 4, insertSpaces: true } }) ?? [], []);
  });

  await t.test('the server leaves when it is told to', async () => {
    assert.equal(await s.stop(), 0);
  });
});

// The page: two files of a program, an editor that shows one of them, and the
// language server behind a websocket. The token is in the fragment of the URL
// that `koru lsp --listen` printed.
import { languageServerExtensions, LSPClient } from '@codemirror/lsp-client';
import { EditorState, Prec } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import { basicSetup, EditorView } from 'codemirror';
import { indentUnit } from '@codemirror/language';
import { indentWithTab } from '@codemirror/commands';
import { apply, publish, underline } from './fixes.js';
import { koru } from './koru.js';
import { demo } from './demo.js';
import { Tabs } from './workspace.js';

const root = 'file:///koru-page/';
const find = (id) => document.getElementById(id);

// socket connects to the server, as the transport that the client asks for.
function socket() {
  const ws = new WebSocket(`ws://${location.host}/lsp?token=${location.hash.slice(1)}`);
  const handlers = new Set();
  ws.onmessage = (event) => { for (const handler of handlers) handler(event.data); };
  ws.onclose = () => { find('status').textContent = 'the server is gone: reload'; };
  return new Promise((resolve, reject) => {
    ws.onerror = () => reject(new Error('no server: open the URL that koru lsp has printed'));
    ws.onopen = () => resolve({
      send: (message) => ws.send(honest(message)),
      subscribe: (handler) => handlers.add(handler),
      unsubscribe: (handler) => handlers.delete(handler),
    });
  });
}

// honest takes back what the client library says of itself and does not do: it
// never asks for diagnostics, it waits for them.
function honest(message) {
  const parsed = JSON.parse(message);
  if (parsed.method !== 'initialize') return message;
  delete parsed.params.capabilities.textDocument.diagnostic;
  parsed.params.capabilities.textDocument.codeAction = { codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix'] } } };
  return JSON.stringify(parsed);
}

function start() {
  const client = new LSPClient({
    rootUri: root,
    workspace: (c) => new Tabs(c),
    extensions: languageServerExtensions(),
    notificationHandlers: {
      'textDocument/publishDiagnostics': (c, params) => {
        publish(c, params, (file) => { if (file === tabs.shown) report(file); });
        return true;
      },
    },
  });
  const tabs = client.workspace;

  const report = (file) => {
    underline(tabs, file);
    find('problems').replaceChildren(...file.problems.map(problem));
    vocabulary();
  };

  const problem = (p) => {
    const item = document.createElement('li');
    const code = document.createElement('code');
    code.textContent = p.code;
    item.append(code, ` line ${p.range.start.line + 1}: ${p.message}`);
    for (const fix of p.fixes) {
      const button = document.createElement('button');
      button.textContent = fix.title;
      button.onclick = () => apply(tabs, fix.edit);
      item.append(button);
    }
    return item;
  };

  // vocabulary shows what the scope of the program shows to a model.
  const vocabulary = async () => {
    try {
      const answer = await client.request('workspace/executeCommand', { command: 'koru.vocabulary', arguments: [tabs.files[0].uri] });
      find('vocabulary').textContent = answer.text;
    } catch (err) {
      find('vocabulary').textContent = err.message ?? String(err);
    }
  };

  // The first fix of the first problem on the line of the cursor.
  const fixHere = (view) => {
    const line = view.state.doc.lineAt(view.state.selection.main.head).number - 1;
    const fix = tabs.shown.problems?.find((p) => p.range.start.line <= line && line <= p.range.end.line && p.fixes.length > 0)?.fixes[0];
    if (fix) apply(tabs, fix.edit);
    return Boolean(fix);
  };

  // Diagnostics follow what is typed, not half a second behind.
  const tell = EditorView.updateListener.of((update) => {
    tabs.edited(update);
    if (update.docChanged) setTimeout(() => client.sync(), 20);
  });

  const state = (name, doc) => EditorState.create({
    doc,
    extensions: [
      Prec.high(keymap.of([{ key: 'Ctrl-.', run: fixHere }, indentWithTab])),
      basicSetup, koru(), indentUnit.of('    '), tell, client.plugin(root + name, 'koru'),
    ],
  });
  for (const [name, text] of Object.entries(demo)) tabs.add(root + name, state(name, text));

  tabs.view = new EditorView({ parent: find('editor') });
  tabs.onShow = (file) => {
    find('files').replaceChildren(...tabs.files.map((f) => {
      const button = document.createElement('button');
      button.textContent = f.uri.slice(root.length);
      button.setAttribute('aria-selected', String(f === file));
      button.onclick = () => tabs.show(f.uri);
      return button;
    }));
    if (file.problems) report(file);
    tabs.view.focus();
  };
  tabs.show(root + Object.keys(demo)[0]);

  socket().then((transport) => {
    client.connect(transport);
    return client.initializing;
  }).then(() => { find('status').textContent = 'connected'; }, (err) => { find('status').textContent = err.message; });
}

start();

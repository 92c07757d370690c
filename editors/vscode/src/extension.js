// The VS Code extension: it starts `koru lsp` and gives its commands a palette
// entry. All that is clever is in the server.
const vscode = require('vscode');
const { LanguageClient, TransportKind } = require('vscode-languageclient/node');
const { command, missing, modules, shown } = require('./server.js');

let client;
let terminal;

async function activate(context) {
  context.subscriptions.push(vscode.workspace.registerTextDocumentContentProvider('koru-text', texts));
  const register = (name, action) => context.subscriptions.push(vscode.commands.registerCommand(name, action));
  register('koru.showGrammar', () => here('koru.grammar'));
  register('koru.showVocabulary', () => here('koru.vocabulary'));
  register('koru.showManifest', () => here('koru.manifest'));
  register('koru.runFile', runFile);
  register('koru.openContract', openContract);
  register('koru.restartServer', restart);
  context.subscriptions.push(vscode.workspace.onDidChangeConfiguration((change) => {
    if (change.affectsConfiguration('koru.path') || change.affectsConfiguration('koru.arguments')) return restart();
  }));
  await start();
}

// program is the command of the settings and the arguments that make it a server.
function program() {
  const settings = vscode.workspace.getConfiguration('koru');
  const folders = (vscode.workspace.workspaceFolders ?? []).map((f) => f.uri.fsPath);
  return command({ path: settings.get('path'), arguments: settings.get('arguments') }, folders);
}

async function start() {
  const run = { ...program(), transport: TransportKind.stdio };
  client = new LanguageClient('koru', 'Koru', { run, debug: run }, {
    documentSelector: [{ language: 'koru' }, { language: 'koru-wire' }],
    synchronize: { configurationSection: 'koru' },
    middleware: {
      executeCommand: async (name, args, next) => {
        if (name === 'koru.run') return runInTerminal(vscode.Uri.parse(args[0]));
        if (name === 'koru.showReferences') return showReferences(...args);
        return show(name, await next(name, args));
      },
    },
  });
  try {
    await client.start();
  } catch (err) {
    vscode.window.showErrorMessage(`${missing(run.command)} (${err.message ?? err})`);
  }
}

async function stop() {
  const old = client;
  client = undefined;
  if (old?.needsStop()) await old.stop();
}

async function restart() {
  await stop();
  await start();
}

// here carries out a command of the server for the place of the cursor.
function here(name) {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return undefined;
  const { line, character } = editor.selection.active;
  return vscode.commands.executeCommand(name, editor.document.uri.toString(), { line, character });
}

async function runFile() {
  const document = vscode.window.activeTextEditor?.document;
  if (document && (await document.save())) runInTerminal(document.uri);
}

// showReferences lists the places that a lens has counted.
function showReferences(uri, position, locations) {
  const { asPosition, asLocation } = client.protocol2CodeConverter;
  return vscode.commands.executeCommand('editor.action.showReferences', vscode.Uri.parse(uri), asPosition(position), locations.map((l) => asLocation(l)));
}

// runInTerminal runs a program where a user can talk to it and stop it.
function runInTerminal(uri) {
  terminal?.dispose();
  terminal = vscode.window.createTerminal({ name: 'Koru', shellPath: program().command, shellArgs: ['run', uri.fsPath] });
  terminal.show(true);
}

async function openContract() {
  const document = vscode.window.activeTextEditor?.document;
  const module = await vscode.window.showQuickPick(modules, { placeHolder: 'the module whose contract is shown' });
  if (module && document) await vscode.commands.executeCommand('koru.openStd', document.uri.toString(), module);
}

// show does what the answer of a command asks for.
async function show(name, answer) {
  const what = shown(name, answer);
  if (what?.open) {
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(vscode.Uri.parse(what.open)), { preview: true });
  } else if (what) {
    const uri = texts.keep(what.title, what.text);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true, viewColumn: vscode.ViewColumn.Beside });
  }
  return answer;
}

// texts are the documents that show an answer: they can be read and not written.
const texts = {
  held: new Map(),
  keep(title, text) {
    const uri = vscode.Uri.from({ scheme: 'koru-text', path: `/${title}` });
    this.held.set(uri.toString(), text);
    return uri;
  },
  provideTextDocumentContent(uri) { return this.held.get(uri.toString()); },
};

module.exports = { activate, deactivate: stop };

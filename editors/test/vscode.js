// As much of VS Code as the extension touches. What is not here answers with
// itself, so that the client library, which knows every corner of the editor,
// loads and runs.
const Module = require('node:module');
const fs = require('node:fs');
const { pathToFileURL, fileURLToPath } = require('node:url');

const anything = new Proxy(function () {}, {
  get: (_, key) => {
    if (key === Symbol.toPrimitive) return () => '';
    if (key === Symbol.iterator) return function* () {};
    if (key === 'then') return undefined; // it is no promise
    return anything;
  },
  apply: () => anything,
  construct: () => anything,
});

class Disposable {
  constructor(dispose = () => {}) { this.dispose = dispose; }
  static from(...all) { return new Disposable(() => all.forEach((d) => d.dispose())); }
}

class EventEmitter {
  listeners = [];
  event = (listener) => { this.listeners.push(listener); return new Disposable(); };
  fire(value) { for (const listener of this.listeners) listener(value); }
  dispose() {}
}

class Uri {
  constructor(text) { this.text = text; [this.scheme] = text.split(':'); this.path = text.replace(/^[a-z-]+:(\/\/)?/, ''); }
  static parse(text) { return new Uri(text); }
  static file(name) { return new Uri(pathToFileURL(name).href); }
  static from({ scheme, path }) { return new Uri(`${scheme}:${path}`); }
  get fsPath() { return this.scheme === 'file' ? fileURLToPath(this.text) : this.path; }
  with() { return this; }
  toString() { return this.text; }
  toJSON() { return this.text; }
}

// editor makes a fake whose settings, folder and open file are given, and which
// notes what is shown.
function editor({ settings, folder, file }) {
  const commands = new Map();
  const shown = [];
  const providers = new Map();
  const uri = Uri.file(file);
  const document = {
    uri, languageId: 'koru', version: 1, fileName: file, isDirty: false, isClosed: false,
    getText: () => fs.readFileSync(file, 'utf8'), save: async () => true,
  };
  const known = {
    Disposable, EventEmitter, Uri,
    version: '1.91.0',
    env: { appName: 'a test', language: 'en' },
    ViewColumn: { Beside: -2 },
    ExtensionMode: { Production: 1 },
    commands: {
      registerCommand: (name, action) => {
        if (commands.has(name)) throw new Error(`command '${name}' already exists`);
        commands.set(name, action);
        return new Disposable(() => commands.delete(name));
      },
      executeCommand: async (name, ...args) => {
        if (!commands.has(name)) throw new Error(`command '${name}' not found`);
        return commands.get(name)(...args);
      },
    },
    languages: new Proxy({ match: (selector, doc) => (doc.languageId === 'koru' ? 10 : 0) }, { get: (own, key) => own[key] ?? anything }),
    workspace: new Proxy({
      workspaceFolders: [{ uri: Uri.file(folder), name: 'work', index: 0 }],
      textDocuments: [document],
      notebookDocuments: [],
      getConfiguration: () => ({ get: (key, otherwise) => settings[key] ?? otherwise }),
      getWorkspaceFolder: () => undefined,
      onDidChangeConfiguration: () => new Disposable(),
      registerTextDocumentContentProvider: (scheme, provider) => { providers.set(scheme, provider); return new Disposable(); },
      openTextDocument: async (what) => ({ uri: what, text: await providers.get(what.scheme)?.provideTextDocumentContent(what, calm) }),
    }, { get: (own, key) => own[key] ?? anything }),
    window: new Proxy({
      activeTextEditor: { document, selection: { active: { line: 0, character: 0 } } },
      visibleTextEditors: [],
      tabGroups: { all: [], onDidChangeTabs: () => new Disposable() },
      createOutputChannel: () => ({ appendLine: (line) => shown.push({ line }), append() {}, show() {}, dispose() {}, onDidChangeLogLevel: () => new Disposable(), ...log }),
      createTerminal: (options) => { shown.push({ terminal: options }); return { show() {}, dispose() {} }; },
      showErrorMessage: async (text) => { shown.push({ error: text }); },
      showTextDocument: async (doc) => { shown.push({ document: doc.uri.toString(), text: doc.text }); },
      showQuickPick: async (items) => items.find((item) => /std\/io$/.test(item)),
    }, { get: (own, key) => own[key] ?? anything }),
  };
  const calm = { isCancellationRequested: false, onCancellationRequested: () => new Disposable() };
  const log = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
  return { api: new Proxy(known, { get: (own, key) => own[key] ?? anything }), commands, shown, window: known.window };
}

// load requires a module that sees the fake as 'vscode'.
function load(name, api) {
  const original = Module._load;
  Module._load = function (request, ...rest) { return request === 'vscode' ? api : original.call(this, request, ...rest); };
  try {
    delete require.cache[require.resolve(name)];
    return require(name);
  } finally {
    Module._load = original;
  }
}

module.exports = { editor, load };

// A session of a language client: the protocol is spoken by the library that VS
// Code's own clients are built on, and what is typed here is what a user types.
const fs = require('node:fs');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { pathToFileURL, fileURLToPath } = require('node:url');
const rpc = require('vscode-languageserver-protocol/node');
const { TextDocument } = require('vscode-languageserver-textdocument');
const { koru } = require('./project.js');

// capabilities of a client that can do what VS Code can.
const capabilities = {
  general: { positionEncodings: ['utf-16'] },
  workspace: {
    applyEdit: true,
    workspaceFolders: true,
    configuration: true,
    workspaceEdit: { documentChanges: true, resourceOperations: ['create', 'rename', 'delete'] },
    didChangeWatchedFiles: { dynamicRegistration: true },
  },
  textDocument: {
    synchronization: { didSave: true },
    publishDiagnostics: { relatedInformation: true, versionSupport: true, codeDescriptionSupport: true, tagSupport: { valueSet: [1, 2] } },
    completion: { completionItem: { snippetSupport: true, labelDetailsSupport: true, documentationFormat: ['markdown'], resolveSupport: { properties: ['documentation'] } } },
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix', 'source.fixAll'] } }, resolveSupport: { properties: ['edit'] }, dataSupport: true },
    rename: { prepareSupport: true },
    hover: { contentFormat: ['markdown', 'plaintext'] },
    formatting: {},
  },
  window: { workDoneProgress: true },
};

class Session {
  // start runs `koru lsp` on a folder and shakes hands.
  static async start(t, folder) {
    const s = new Session();
    s.folder = folder;
    s.documents = new Map(); // by URI: what the editor shows
    s.published = new Map(); // by URI: the newest diagnostics
    s.history = []; // every publication
    s.waiting = [];
    s.registered = [];
    s.child = spawn(koru(), ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
    s.exited = new Promise((resolve) => s.child.on('exit', (code, signal) => resolve(code ?? signal)));
    t.after(() => s.child.kill('SIGKILL'));
    const c = rpc.createMessageConnection(new rpc.StreamMessageReader(s.child.stdout), new rpc.StreamMessageWriter(s.child.stdin));
    s.connection = c;
    c.onNotification(rpc.PublishDiagnosticsNotification.type, (p) => s.publish(p));
    c.onRequest(rpc.ConfigurationRequest.type, (p) => p.items.map(() => null));
    c.onRequest(rpc.RegistrationRequest.type, (p) => { s.registered.push(...p.registrations); });
    c.onRequest(rpc.WorkDoneProgressCreateRequest.type, () => null);
    c.onRequest(rpc.DiagnosticRefreshRequest.type, () => null);
    c.onRequest(rpc.SemanticTokensRefreshRequest.type, () => null);
    c.onRequest(rpc.ApplyWorkspaceEditRequest.type, (p) => { s.apply(p.edit); return { applied: true }; });
    c.listen();
    const uri = pathToFileURL(folder).href;
    s.server = await c.sendRequest(rpc.InitializeRequest.type, {
      processId: process.pid, rootUri: uri, workspaceFolders: [{ uri, name: path.basename(folder) }], capabilities,
    });
    await c.sendNotification(rpc.InitializedNotification.type, {});
    return s;
  }

  uri(name) { return pathToFileURL(path.join(this.folder, name)).href; }

  publish(p) {
    this.published.set(p.uri, p);
    this.history.push(p);
    this.waiting = this.waiting.filter((check) => !check());
  }

  // shown waits until the diagnostics of a document fit, for its newest version.
  shown(name, fits) {
    const uri = this.uri(name);
    const check = () => {
      const p = this.published.get(uri);
      const doc = this.documents.get(uri);
      return p && (!doc || p.version === undefined || p.version === doc.version) && fits(p.diagnostics) ? p.diagnostics : undefined;
    };
    return new Promise((resolve, reject) => {
      const done = check();
      if (done) return resolve(done);
      const late = setTimeout(() => reject(new Error(`${name}: still ${JSON.stringify(this.published.get(uri), null, 1)}`)), 20000);
      this.waiting.push(() => {
        const now = check();
        if (now) { clearTimeout(late); resolve(now); }
        return now;
      });
      return undefined;
    });
  }

  // codes waits until a document has exactly these codes.
  codes(name, ...codes) {
    return this.shown(name, (list) => list.map((d) => d.code).sort().join() === codes.sort().join());
  }

  async open(name, language = 'koru') {
    const text = fs.readFileSync(path.join(this.folder, name), 'utf8');
    const doc = TextDocument.create(this.uri(name), language, 1, text);
    this.documents.set(doc.uri, doc);
    await this.connection.sendNotification(rpc.DidOpenTextDocumentNotification.type, {
      textDocument: { uri: doc.uri, languageId: language, version: 1, text },
    });
    return doc;
  }

  text(name) {
    const doc = this.documents.get(this.uri(name));
    return doc ? doc.getText() : fs.readFileSync(path.join(this.folder, name), 'utf8');
  }

  // find returns the position right behind the first place of a text.
  find(name, text, behind = true) {
    const doc = this.documents.get(this.uri(name));
    const at = doc.getText().indexOf(text);
    if (at < 0) throw new Error(`${name} has no ${JSON.stringify(text)}`);
    return doc.positionAt(at + (behind ? text.length : 0));
  }

  async change(name, changes) {
    const doc = this.documents.get(this.uri(name));
    TextDocument.update(doc, changes, doc.version + 1);
    await this.connection.sendNotification(rpc.DidChangeTextDocumentNotification.type, {
      textDocument: { uri: doc.uri, version: doc.version }, contentChanges: changes,
    });
  }

  // type enters a text letter by letter, as a user does, and returns where the
  // cursor is then.
  async type(name, at, text) {
    const doc = this.documents.get(this.uri(name));
    let offset = doc.offsetAt(at);
    for (const letter of text) {
      const here = doc.positionAt(offset);
      await this.change(name, [{ range: { start: here, end: here }, text: letter }]);
      offset += letter.length;
    }
    return doc.positionAt(offset);
  }

  async erase(name, text) {
    const start = this.find(name, text, false);
    const end = this.find(name, text);
    await this.change(name, [{ range: { start, end }, text: '' }]);
    return start;
  }

  ask(type, name, params) {
    return this.connection.sendRequest(type, { textDocument: { uri: this.uri(name) }, ...params });
  }

  // apply carries out an edit of the workspace, in buffers and on disk.
  async apply(edit) {
    const changes = edit.documentChanges ?? Object.entries(edit.changes ?? {}).map(([uri, edits]) => ({ textDocument: { uri }, edits }));
    for (const change of changes) {
      if (change.kind) throw new Error(`${change.kind} is not wanted here`);
      const doc = this.documents.get(change.textDocument.uri);
      if (!doc) {
        const file = fileURLToPath(change.textDocument.uri);
        const disk = TextDocument.create(change.textDocument.uri, 'koru', 0, fs.readFileSync(file, 'utf8'));
        fs.writeFileSync(file, TextDocument.applyEdits(disk, change.edits));
        await this.connection.sendNotification(rpc.DidChangeWatchedFilesNotification.type, {
          changes: [{ uri: change.textDocument.uri, type: rpc.FileChangeType.Changed }],
        });
        continue;
      }
      if (change.textDocument.version != null && change.textDocument.version !== doc.version) throw new Error('an edit of another version');
      await this.replace(doc, change.edits);
    }
  }

  // replace applies edits of one document, last one first, so that no edit moves
  // another.
  async replace(doc, edits) {
    const ordered = [...edits].sort((a, b) => doc.offsetAt(b.range.start) - doc.offsetAt(a.range.start));
    await this.change(path.relative(this.folder, fileURLToPath(doc.uri)), ordered.map((e) => ({ range: e.range, text: e.newText })));
  }

  async stop() {
    await this.connection.sendRequest(rpc.ShutdownRequest.type);
    await this.connection.sendNotification(rpc.ExitNotification.type);
    return this.exited;
  }
}

// plain is what a snippet leaves in the text when every stop is skipped.
function plain(snippet) {
  return snippet.replace(/\$\{\d+:((?:\\.|[^}])*)\}|\$\{\d+\|([^,|]*)[^}]*\}|\$\d+|\\(.)/g, (_, text, choice, escaped) => text ?? choice ?? escaped ?? '');
}

module.exports = { Session, plain, rpc };

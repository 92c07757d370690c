// A few files that one editor shows in turn. The server hears of all of them
// from the start, so that a rename reaches what is not shown.
import { LSPPlugin, Workspace } from '@codemirror/lsp-client';
import { ChangeSet } from '@codemirror/state';

// File is one of them: its state when it is not shown, and what the server
// knows.
class File {
  constructor(uri, state) {
    Object.assign(this, { uri, languageId: 'koru', version: 1, doc: state.doc, state, view: null });
    this.unsynced = ChangeSet.empty(state.doc.length);
  }
  getView() { return this.view; }
}

export class Tabs extends Workspace {
  files = [];
  shown = null; // the file that the view shows
  onShow = () => {};

  // add takes a file into the workspace before the client connects.
  add(uri, state) { this.files.push(new File(uri, state)); }

  // show puts a file into the view.
  show(uri) {
    const file = this.getFile(uri);
    if (!file || file === this.shown) return;
    if (this.shown) Object.assign(this.shown, { state: this.view.state, view: null });
    this.shown = file;
    file.view = this.view;
    this.view.setState(file.state);
    this.onShow(file);
  }

  // edited notes what the view has changed, for the next time it is told.
  edited(update) {
    if (this.shown && update.docChanged) this.shown.unsynced = this.shown.unsynced.compose(update.changes);
  }

  // text is what a file holds now, shown or not.
  text(file) { return file === this.shown ? this.view.state.doc : file.state.doc; }

  syncFiles() {
    const updates = [];
    for (const file of this.files) {
      if (file.unsynced.empty) continue;
      updates.push({ file, prevDoc: file.doc, changes: file.unsynced });
      file.doc = this.text(file);
      file.version++;
      file.unsynced = ChangeSet.empty(file.doc.length);
      if (file === this.shown) LSPPlugin.get(this.view)?.clear();
    }
    return updates;
  }

  updateFile(uri, spec) {
    const file = this.getFile(uri);
    if (!file) return;
    if (file === this.shown) { this.view.dispatch(spec); return; }
    const change = file.state.update(spec);
    file.state = change.state;
    file.unsynced = file.unsynced.compose(change.changes);
  }

  async displayFile(uri) {
    this.show(uri);
    return this.shown?.uri === uri ? this.view : null;
  }

  openFile() {} // every file is open from the start
  closeFile() {}
}

// What is wrong, with the fixes that the server offers for it.
import { setDiagnostics } from '@codemirror/lint';

const severities = [, 'error', 'warning', 'info', 'hint'];

// publish shows the diagnostics of a file. The client library shows them without
// their fixes, so this takes its place.
export async function publish(client, params, shown) {
  const file = client.workspace.getFile(params.uri);
  if (!file || (params.version != null && params.version !== file.version)) return;
  file.diagnostics = params.diagnostics;
  const actions = params.diagnostics.length === 0 ? [] : await client.request('textDocument/codeAction', {
    textDocument: { uri: params.uri },
    range: { start: { line: 0, character: 0 }, end: { line: file.doc.lines, character: 0 } },
    context: { diagnostics: params.diagnostics, only: ['quickfix'] },
  });
  if (file.diagnostics !== params.diagnostics) return; // newer ones have come
  file.problems = params.diagnostics.map((d) => ({ ...d, fixes: (actions ?? []).filter((a) => mends(a, d)) }));
  shown(file);
}

function mends(action, diagnostic) {
  return action.edit && (action.diagnostics ?? []).some((d) => d.code === diagnostic.code && same(d.range.start, diagnostic.range.start));
}

const same = (a, b) => a.line === b.line && a.character === b.character;

const offset = (doc, pos) => {
  const line = doc.line(Math.min(pos.line + 1, doc.lines));
  return Math.min(line.from + pos.character, line.to);
};

// underline puts the problems of the shown file into its text.
export function underline(tabs, file) {
  const { doc } = tabs.view.state;
  tabs.view.dispatch(setDiagnostics(tabs.view.state, file.problems.map((p) => ({
    from: offset(doc, p.range.start),
    to: offset(doc, p.range.end),
    severity: severities[p.severity ?? 1],
    source: p.code,
    message: p.message,
    actions: p.fixes.map((fix) => ({ name: fix.title, apply: () => apply(tabs, fix.edit) })),
  }))));
}

// apply carries out an edit of the workspace.
export function apply(tabs, edit) {
  const changes = edit.documentChanges ?? Object.entries(edit.changes ?? {}).map(([uri, edits]) => ({ textDocument: { uri }, edits }));
  for (const { textDocument, edits } of changes) {
    const file = tabs.getFile(textDocument.uri);
    if (!file) continue;
    const doc = tabs.text(file);
    tabs.updateFile(file.uri, {
      changes: edits.map((e) => ({ from: offset(doc, e.range.start), to: offset(doc, e.range.end), insert: e.newText })),
      userEvent: 'input.fix',
    });
  }
  tabs.client.sync();
}

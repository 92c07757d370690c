// How the language server is started, and what its answers look like. Nothing
// here knows the editor, so that plain Node can test it.

// command returns the program of the settings and its arguments.
function command(settings, folders) {
  const first = folders[0] ?? '';
  const place = (text) => text.replaceAll('${workspaceFolder}', first);
  return { command: place(settings.path || 'koru'), args: (settings.arguments ?? ['lsp']).map(place) };
}

// missing says what to do when the program cannot be started.
function missing(path) {
  return `Cannot start '${path} lsp'. Install koru and put it on the PATH, or set koru.path to where it is.`;
}

// shown turns the answer of a command into what the editor does about it: open a
// document, or show a text under a title. Null is nothing.
function shown(name, answer) {
  if (!answer) return null;
  if (answer.uri) return { open: answer.uri };
  if (typeof answer.text === 'string') return { title: answer.title ?? name, text: answer.text };
  return null;
}

// modules are the modules of the standard library that a list offers.
const modules = [
  'args', 'bridge', 'build', 'compiler', 'control', 'deps', 'env', 'fmt', 'fs', 'grid', 'interpreter', 'io', 'json',
  'list', 'package', 'runtime', 'store', 'string', 'testing', 'time', 'void',
].map((name) => `std/${name}`);

module.exports = { command, missing, modules, shown };

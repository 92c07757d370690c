// Where things are, and the koru command that the tests drive.
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { execFileSync } = require('node:child_process');

const root = path.join(__dirname, '..', '..');
const editors = path.join(root, 'editors');

let built;

// koru returns the path of the command: the one that KORU names, or one built
// from the source beside the tests.
function koru() {
  if (process.env.KORU) return path.resolve(process.env.KORU);
  if (!built) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'koru-'));
    process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
    built = path.join(folder, 'koru');
    execFileSync('go', ['build', '-o', built, './cmd/koru'], { cwd: root, stdio: 'inherit' });
  }
  return built;
}

// has says whether a command is installed; a test of an editor that is not
// there is skipped, unless the run asks for all of them.
function has(command) {
  const folders = (process.env.PATH || '').split(path.delimiter);
  return folders.some((folder) => fs.existsSync(path.join(folder, command)));
}

// needs returns what a test says to be skipped, or false.
function needs(...commands) {
  const missing = commands.filter((command) => !has(command));
  if (missing.length === 0 || process.env.EDITORS === 'all') return false;
  return `${missing.join(', ')} not installed`;
}

// workspace writes files into a fresh folder and returns its path. It is
// removed with the test.
function workspace(t, files) {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'koru-work-')));
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

module.exports = { root, editors, koru, has, needs, workspace };

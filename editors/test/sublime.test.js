const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { editors, has, needs, workspace } = require('./project.js');

const bat = has('batcat') ? 'batcat' : 'bat';

// The colours of bat's theme "ansi", by the letter they have here.
const colours = { 32: 'green', 33: 'yellow', 34: 'blue', 35: 'magenta', 36: 'cyan' };

// painted returns the pieces of a file that bat, which reads Sublime's syntaxes,
// shows in a colour: [colour, text].
function painted(t, name) {
  const folder = workspace(t, { 'syntaxes/Koru.sublime-syntax': fs.readFileSync(path.join(editors, 'sublime', 'Koru.sublime-syntax'), 'utf8') });
  const env = { ...process.env, BAT_CONFIG_DIR: folder, BAT_CACHE_PATH: path.join(folder, 'cache'), BAT_OPTS: '', NO_COLOR: '' };
  execFileSync(bat, ['cache', '--build', '--source', folder, '--target', env.BAT_CACHE_PATH], { env, stdio: 'pipe' });
  const text = execFileSync(bat, ['--color=always', '--style=plain', '--theme=ansi', path.join(editors, 'testdata', name)], { env, encoding: 'utf8' });
  return [...text.matchAll(/\x1b\[(\d+)m([^\x1b]*)\x1b\[0m/g)].map((m) => [colours[m[1]], m[2]]);
}

test('bat reads the syntax and colours a program with it', { skip: needs(bat) }, (t) => {
  const seen = painted(t, 'sample.k');
  const has = (colour, text) => assert.ok(seen.some(([c, s]) => c === colour && s === text), `${text} is not ${colour}`);
  has('green', '// Every colour of Koru, once.');
  has('green', 'Reserve a locker, and say which.');
  has('magenta', 'import');
  has('magenta', 'tor');
  has('blue', 'give-back');
  has('yellow', 'held');
  has('yellow', '0x1F');
  has('magenta', 'held!');
  has('cyan', ' /[{"]\\}/g');
  has('green', '// not the end: }');
  has('blue', 'checkout');
  has('yellow', 'paid');
  has('magenta', 'when');
  has('yellow', 'true');
  has('green', '    Dear ');
  has('magenta', 'captured');
});

test('nothing behind a body is lost', { skip: needs(bat) }, (t) => {
  for (const [name, last] of [['sample.k', 'give-back(t)'], ['sample.kz', 'why']]) {
    const arms = painted(t, name).filter(([colour, text]) => colour === 'yellow' && /^(held|jammed)$/.test(text));
    assert.ok(arms.length > 0, `${name}: the arms at the end, before ${last}, have no colour`);
  }
});

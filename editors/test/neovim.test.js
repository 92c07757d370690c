const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { needs, workspace } = require('./project.js');
const { environment, snippet } = require('./snippet.js');
const shop = require('./shop.js');

// nvim runs the editor without a screen, set up by the README and nobody else.
function nvim(folder, args) {
  const home = path.join(folder, '.home');
  fs.mkdirSync(home, { recursive: true });
  const init = path.join(home, 'init.lua');
  fs.writeFileSync(init, snippet('neovim', 'lua'));
  const env = environment({ HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, XDG_STATE_HOME: home });
  const result = spawnSync('nvim', ['--headless', '-n', '-i', 'NONE', '-u', init, ...args], { cwd: folder, env, encoding: 'utf8', timeout: 180000 });
  assert.equal(result.error, undefined);
  return result;
}

test('Neovim\'s own client writes a scope with the checker at its side', { skip: needs('nvim') }, (t) => {
  const folder = workspace(t, { ...shop, 'koru.json': '{ "name": "shop", "version": "0.1.0", "entry": "shop.k" }\n' });
  const { stdout, stderr, status } = nvim(folder, ['-c', `luafile ${path.join(__dirname, 'neovim.lua')}`]);
  assert.equal(status, 0, stderr);
  assert.deepEqual(stdout.split('\n').filter((line) => line.startsWith('ok ')), [
    'ok attach', 'ok diagnostics while typing a scope', 'ok completion of an outcome', 'ok a fix applied', 'ok rename across files', 'ok format',
  ]);
  assert.match(fs.readFileSync(path.join(folder, 'stock.k'), 'utf8'), /pub tor look-up/);
});

test('the configuration for Neovim 0.11 is a table of what it needs', { skip: needs('nvim') }, (t) => {
  const folder = workspace(t, {});
  const file = path.join(path.dirname(__dirname), 'neovim', 'lsp', 'koru.lua');
  const { stdout, stderr } = nvim(folder, ['-c', `lua io.stdout:write(vim.json.encode(dofile('${file}')))`, '-c', 'qall!']);
  assert.deepEqual(JSON.parse(stdout || stderr), { cmd: ['koru', 'lsp'], filetypes: ['koru', 'koru-wire'], root_markers: ['koru.json', '.git'] });
});

const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { editors, needs, workspace } = require('./project.js');
const { agreement } = require('./agreement.js');
const { environment, snippet } = require('./snippet.js');
const shop = require('./shop.js');

const runtime = path.join(editors, 'vim');

// vim opens a file in the real editor with our files and nobody else's, and
// runs commands.
function vim(file, commands, env = {}, cwd = undefined) {
  const args = ['-N', '-u', 'NONE', '-i', 'NONE', '-n', '-es',
    '--cmd', `set runtimepath^=${runtime}`, '-c', 'filetype plugin indent on', '-c', 'syntax on', '-c', `edit ${file}`];
  for (const command of commands) args.push('-c', command);
  args.push('-c', 'quitall!');
  const result = spawnSync('vim', args, { cwd, env: { ...process.env, ...env }, encoding: 'utf8', timeout: 60000 });
  assert.equal(result.error, undefined);
  return result;
}

// groups returns the stack of syntax groups of every byte.
function groups(file, bytes) {
  const dump = path.join(os.tmpdir(), `koru-vim-${process.pid}`);
  vim(file, [`source ${path.join(__dirname, 'dump.vim')}`], { KORU_DUMP: dump });
  const lines = fs.readFileSync(dump, 'utf8').split('\n');
  fs.rmSync(dump);
  const seen = [];
  for (const line of lines.slice(0, -1)) {
    for (const run of line.split(' ').filter(Boolean)) {
      const at = run.lastIndexOf('*');
      for (let i = 0; i < Number(run.slice(at + 1)); i++) seen.push(run.slice(0, at));
    }
    seen.push('');
  }
  assert.ok(seen.length >= bytes.length, `${file}: ${seen.length} bytes coloured of ${bytes.length}`);
  return seen;
}

const classes = {
  comment: /Comment/,
  prose: /koruProse/,
  string: /koruString|koruOpaque|koruTemplate/,
  character: /koruCharacter/,
  number: /koruNumber/,
  raw: /koruRawName/,
  flow: /koruFlowOperator/,
  splice: /koruSplice/,
  host: /koruHost|koruZig|koruJS/,
  body: /koruBody/,
  import: /koruDeclaration/,
  declaration: /koruDeclaration/,
  annotation: /koruAnnotation|koruBullet|koruInline|koruSuffix/,
  outcome: /koruArmName|koruMetatype/,
  state: /koruPhantom/,
  binding: /koruArmBinding|koruBinding|koruDiscard/,
  label: /koruLabel/,
};

test('the syntax of Vim and the parser read programs alike', { skip: needs('vim') }, async () => {
  await agreement(assert, groups, classes);
});

const broken = {
  ...shop,
  'shop.k': shop['shop.k'].replace('| unknown |> greet(name: "nobody")\n', '').replace('greet = std', 'greet = stdd'),
};

test('the set-up of the README colours a program', { skip: needs('vim') }, (t) => {
  const folder = workspace(t, { ...shop, 'world/say.k': 'tor say-twice { text: string }\nsay-twice = say(text)\n', vimrc: snippet('vim', 'vim') });
  const types = path.join(folder, 'types');
  spawnSync('vim', ['-N', '-u', path.join(folder, 'vimrc'), '-i', 'NONE', '-n', '-es', '-c', 'edit shop.k',
    '-c', 'call writefile([&filetype, &commentstring, &expandtab, synIDattr(synID(1, 1, 1), "name")], "types")',
    '-c', 'edit world/say.k', '-c', 'call writefile([&filetype], "types", "a")', '-c', 'quitall!'], { cwd: folder, env: environment(), timeout: 60000 });
  assert.deepEqual(fs.readFileSync(types, 'utf8').trim().split('\n'), ['koru', '// %s', '1', 'koruDeclaration', 'koru-wire']);
});

test(':make fills the quickfix list with what koru check finds', { skip: needs('vim') }, (t) => {
  const folder = workspace(t, broken);
  vim('shop.k', ['compiler koru', 'silent make',
    'call writefile(map(filter(getqflist(), "v:val.valid"), "bufname(v:val.bufnr) . \':\' . v:val.lnum . \':\' . v:val.col . \' \' . v:val.type . \' \' . v:val.text"), "found")'],
  environment(), folder);
  const found = fs.readFileSync(path.join(folder, 'found'), 'utf8').trim().split('\n');
  assert.equal(found.length, 2, found.join('\n'));
  assert.match(found[0], /^shop\.k:6:9 E .*stdd/);
  assert.match(found[1], /^shop\.k:8:1 E required branch 'unknown' not handled/);
});

// What is typed without a blank in front comes out as the formatter writes it.
test('lines are indented as they are typed', { skip: needs('vim') }, (t) => {
  const want = `std/runtime:register(scope: "shop") {
    greet(1)
    find(2)
}

find(sku: "A")
| found shelf |> note(
    text: "{",
    by: shelf
)
| unknown |> _

tor after {}
`;
  const folder = workspace(t, { 'typed.k': '', text: want.replace(/^ +/gm, '').replace(/\n$/, '') });
  vim('typed.k', ['exe "normal i" . join(readfile("text"), "\\<CR>")', 'write'], {}, folder);
  assert.equal(fs.readFileSync(path.join(folder, 'typed.k'), 'utf8'), want);
});

test('the wire has colours of its own', { skip: needs('vim') }, async () => {
  const file = path.join(editors, 'testdata', 'sample.koru-wire');
  const bytes = fs.readFileSync(file);
  const seen = groups(file, bytes);
  const at = (text, shift = 0) => seen[bytes.indexOf(text) + shift];
  assert.match(at('say:'), /koruSpoken$/);
  assert.match(at('Your total'), /koruSpokenText/);
  assert.match(at('dear item'), /koruArmName/);
  assert.match(at('item |> buy'), /koruArmBinding/);
  assert.match(at('r1.sku'), /koruReference/);
  assert.match(at('lines, {{'), /koruString/);
  assert.doesNotMatch(at('// no comment'), /Comment/);
});

const ale = ['/usr/share/vim-ale', '/usr/share/vim/vimfiles/pack/dist-bundle/opt/ale'].find((folder) => fs.existsSync(folder));

test('ALE finds the server by itself', { skip: needs('vim') || (!ale && process.env.EDITORS !== 'all' && 'vim-ale not installed') }, (t) => {
  const folder = workspace(t, { ...shop, vimrc: `${snippet('vim', 'vim')}set runtimepath+=${ale}\n` });
  spawnSync('vim', ['-N', '-u', 'vimrc', '-i', 'NONE', '-n', '-T', 'dumb', '--not-a-term', '-S', path.join(__dirname, 'ale.vim')],
    { cwd: folder, env: environment(), stdio: ['ignore', 'ignore', 'ignore'], timeout: 120000 });
  assert.deepEqual(fs.readFileSync(path.join(folder, 'steps'), 'utf8').trim().split('\n'), [
    'ok a fault is reported', 'ok the mended fault is gone', 'ok the verb is renamed', 'ok in the module too',
  ]);
});

const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { execFileSync, spawnSync } = require('node:child_process');
const { editors, koru, needs, workspace } = require('./project.js');
const { agreement } = require('./agreement.js');

const runtime = path.join(editors, 'vim');

// vim opens a file in the real editor with our files and nobody else's, and
// runs commands.
function vim(file, commands, env = {}) {
  const args = ['-N', '-u', 'NONE', '-i', 'NONE', '-n', '-es',
    '--cmd', `set runtimepath^=${runtime}`, '-c', 'filetype plugin indent on', '-c', 'syntax on', '-c', `edit ${file}`];
  for (const command of commands) args.push('-c', command);
  args.push('-c', 'quitall!');
  const result = spawnSync('vim', args, { env: { ...process.env, ...env }, encoding: 'utf8', timeout: 60000 });
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

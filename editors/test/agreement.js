// The grammar of an editor and the parser of the language read a file alike:
// what the parser calls a comment, a string or an outcome has that colour. Each
// editor says which of its colours belong to a class.
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { root, koru } = require('./project.js');

// rules give the tokens of the tree a class, by their kind and their node.
const rules = [
  { class: 'comment', kind: 'comment' },
  { class: 'prose', kind: 'prose' },
  { class: 'string', kind: 'string' },
  { class: 'string', kind: 'quote' },
  { class: 'character', kind: 'char' },
  { class: 'number', kind: 'int', not: 'field' },
  { class: 'number', kind: 'float' },
  { class: 'raw', kind: 'raw-name' },
  { class: 'flow', kind: '|>' },
  { class: 'flow', kind: '=>' },
  { class: 'splice', kind: '{{' },
  { class: 'splice', kind: '}}' },
  { class: 'host', kind: 'text', node: 'host', lines: true },
  { class: 'body', kind: 'text', node: 'proc', lines: true },
  { class: 'import', kind: 'name', node: 'import', first: true },
  { class: 'declaration', kind: 'name', node: 'tor', first: true },
  { class: 'annotation', kind: 'name', node: 'annotation', first: true },
  { class: 'outcome', kind: 'name', node: 'arm', first: true },
  { class: 'outcome', kind: 'name', node: 'arm-declaration', first: true },
  { class: 'state', kind: 'name', node: 'state' },
  { class: 'binding', kind: 'name', node: 'binding', first: true },
  { class: 'label', kind: 'name', node: 'label' },
  { class: 'label', kind: 'name', node: 'jump', first: true },
];

// tokens yields every token that belongs to no broken text, with its node.
function* tokens(node, parent) {
  let names = 0;
  for (const child of node.children || []) {
    if (child.text !== undefined) {
      const inside = node.kind === 'block' && parent === 'proc' ? 'proc' : node.kind;
      yield { ...child, node: inside, first: child.kind === 'name' && names++ === 0 };
    } else if (!/error/.test(child.kind)) {
      yield* tokens(child, node.kind);
    }
  }
}

function tree(name) {
  const options = { maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'inherit'] };
  try {
    return JSON.parse(execFileSync(koru(), ['ast', name], options));
  } catch (err) {
    if (err.status !== 1) throw err;
    return JSON.parse(err.stdout); // a file with faults has a tree too
  }
}

// compare reads one file both ways. colours returns what the editor says of
// each byte; classes maps a class to a pattern of that. A class that the editor
// does not tell apart is left out of classes.
async function compare(name, colours, classes) {
  const bytes = fs.readFileSync(name);
  const seen = await colours(name, bytes);
  const differ = [];
  let compared = 0;
  for (const item of tree(name).items) {
    if (item.kind === 'error-item') continue;
    for (const token of tokens({ children: [item] })) {
      const rule = rules.find((r) => r.kind === token.kind && (!r.node || r.node === token.node) && r.not !== token.node && (!r.first || token.first));
      if (!rule || !classes[rule.class]) continue;
      for (const spot of rule.lines ? firstLetters(token.text) : [0]) {
        compared++;
        const got = String(seen[token.start + spot] ?? '');
        if (classes[rule.class].test(got)) continue;
        const line = bytes.subarray(0, token.start + spot).toString().split('\n').length;
        differ.push(`${path.relative(root, name)}:${line}: ${rule.class} ${JSON.stringify(token.text.slice(0, 40))} has the colour '${got}'`);
        break;
      }
    }
  }
  return { differ, compared };
}

// firstLetters are the offsets at which the lines of a raw text begin.
function* firstLetters(text) {
  let start = 0;
  for (const line of text.split('\n')) {
    if (line.trim()) yield start + (line.length - line.trimStart().length);
    start += Buffer.byteLength(line) + 1;
  }
}

function* programs(folder, which) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules') yield* programs(name, which);
    else if (/\.(k|kz|kjs)$/.test(entry.name) && which.test(entry.name)) yield name;
  }
}

// agreement compares every program of the project: no difference is allowed.
// With KORU_CORPUS it compares those below that folder too, one in a thousand
// tokens may differ there. Which says which files.
async function agreement(assert, colours, classes, which = /./) {
  let total = 0;
  for (const folder of ['editors/testdata', 'examples', 'stdlib']) {
    for (const name of programs(path.join(root, folder), which)) {
      const { differ, compared } = await compare(name, colours, classes);
      assert.deepEqual(differ.slice(0, 20), []);
      total += compared;
    }
  }
  assert.ok(total > 1000, `only ${total} tokens were compared`);
  if (!process.env.KORU_CORPUS) return;
  let all = [];
  total = 0;
  for (const name of programs(process.env.KORU_CORPUS, which)) {
    const { differ, compared } = await compare(name, colours, classes);
    all = all.concat(differ);
    total += compared;
  }
  console.log(`corpus: ${total} tokens compared, ${all.length} differ`);
  if (process.env.KORU_LIST) console.log(all.join('\n'));
  assert.ok(all.length <= total / 1000, all.slice(0, 20).join('\n'));
}

module.exports = { agreement, compare };

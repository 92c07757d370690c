// The set-ups in the READMEs are run as they stand: only the folder of the clone
// and the place of koru are those of the test.
const fs = require('node:fs');
const path = require('node:path');
const { editors, koru, root } = require('./project.js');

// snippet returns the n-th block of a language in the README of an editor.
function snippet(editor, language, n = 0) {
  const text = fs.readFileSync(path.join(editors, editor, 'README.md'), 'utf8');
  const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter((m) => m[1] === language);
  if (!blocks[n]) throw new Error(`editors/${editor}/README.md has no block ${n} of ${language}`);
  return blocks[n][2].replaceAll('~/koru', root);
}

// environment puts koru where a set-up expects it: on the path.
function environment(extra = {}) {
  return { ...process.env, PATH: path.dirname(koru()) + path.delimiter + process.env.PATH, ...extra };
}

module.exports = { snippet, environment };

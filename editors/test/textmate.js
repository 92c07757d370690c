// Loads the TextMate grammars into the engine that VS Code uses.
const fs = require('node:fs');
const path = require('node:path');
const { Registry, INITIAL, parseRawGrammar } = require('vscode-textmate');
const oniguruma = require('vscode-oniguruma');
const { editors } = require('./project.js');

const extension = path.join(editors, 'vscode');
const manifest = JSON.parse(fs.readFileSync(path.join(extension, 'package.json'), 'utf8'));

// Grammars of host languages come from a package here, from VS Code there.
const hosts = { 'source.js': 'javascript', 'source.zig': 'zig' };

function file(scope) {
  const own = manifest.contributes.grammars.find((g) => g.scopeName === scope);
  if (own) return path.join(extension, own.path);
  if (hosts[scope]) return require.resolve(`tm-grammars/grammars/${hosts[scope]}.json`);
  return null;
}

async function engine() {
  await oniguruma.loadWASM(fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')));
  return {
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  };
}

const registry = new Registry({
  onigLib: engine(),
  loadGrammar: async (scope) => {
    const name = file(scope);
    return name && parseRawGrammar(fs.readFileSync(name, 'utf8'), name);
  },
});

// scopes returns the scopes of every byte of a file, outermost first.
async function scopes(scope, bytes) {
  const grammar = await registry.loadGrammar(scope);
  const seen = new Array(bytes.length);
  let stack = INITIAL;
  let start = 0;
  for (const line of bytes.toString('utf8').split('\n')) {
    const result = grammar.tokenizeLine(line, stack);
    for (const token of result.tokens) {
      const from = Buffer.byteLength(line.slice(0, token.startIndex));
      const to = Buffer.byteLength(line.slice(0, token.endIndex));
      seen.fill(token.scopes.join(' '), start + from, start + to);
    }
    stack = result.ruleStack;
    start += Buffer.byteLength(line) + 1;
  }
  return seen;
}

module.exports = { scopes, extension, manifest };

// The TextMate grammar, with the engine of the editor: scopes of real lines, and no example in which a rule runs away.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { before, test } from 'node:test';
import * as oniguruma from 'vscode-oniguruma';
import { INITIAL, Registry, parseRawGrammar, type IGrammar, type StateStack } from 'vscode-textmate';

// Bundled into out/test/.
const own = resolve(__dirname, '../..');
const project = resolve(own, '../..');
let grammar: IGrammar;
let markdown: IGrammar;

before(async () => {
  const wasm = readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength) as ArrayBuffer);
  const files: Record<string, string> = { 'source.rubric': 'rubric.tmLanguage.json', 'markdown.rubric.codeblock': 'markdown.json' };
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (sources) => new oniguruma.OnigScanner(sources),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => {
      const file = files[scope];
      return file === undefined ? null : parseRawGrammar(readFileSync(join(own, 'syntaxes', file), 'utf8'), file);
    },
  });
  grammar = (await registry.loadGrammar('source.rubric'))!;
  markdown = (await registry.loadGrammar('markdown.rubric.codeblock'))!;
});

/** Pieces of a text with their innermost scope, `.rubric` left out; blanks are passed over. */
function scopes(text: string, by = grammar): [string, string][] {
  const all: [string, string][] = [];
  let state: StateStack = INITIAL;
  for (const line of text.split('\n')) {
    const found = by.tokenizeLine(line, state);
    state = found.ruleStack;
    for (const token of found.tokens) {
      const piece = line.slice(token.startIndex, token.endIndex);
      if (piece.trim() !== '') {
        all.push([piece.trim(), (token.scopes.at(-1) ?? '').replace(/\.rubric$/, '')]);
      }
    }
  }
  return all;
}

/** The scope of the `n`th piece that is exactly this. */
function scope(text: string, piece: string, n = 0): string | undefined {
  return scopes(text).filter(([found]) => found === piece)[n]?.[1];
}

test('declarations: the keyword and the name', () => {
  const names: [string, string, string][] = [
    ['rubric answer', 'answer', 'entity.name.namespace'],
    ['library tone', 'tone', 'entity.name.namespace'],
    ['scale likert = int[1..5]', 'likert', 'entity.name.type'],
    ['input     question: text', 'question', 'variable.parameter'],
    ['criterion größe: bool', 'größe', 'entity.name.variable'],
    ['checklist care: bool {', 'care', 'entity.name.variable'],
    ['gate final = x', 'final', 'entity.name.variable'],
    ['define worst(a: bool): bool = a', 'worst', 'entity.name.function'],
    ['readout pointwise ok = x', 'ok', 'entity.name.variable'],
    ['  group more weight 2 {', 'more', 'entity.name.tag'],
    ['  -2.5 harm "Harms"', 'harm', 'entity.name.tag'],
  ];
  for (const [line, name, wanted] of names) {
    assert.equal(scope(line, name), wanted, line);
    const first = scopes(line)[0]?.[1] ?? '';
    assert.match(first, /^keyword\./, line);
  }
});

test('a word is a keyword in its place and a name elsewhere', () => {
  const body = 'criterion level: bool { judge llm level 1 "one" }';
  assert.equal(scope(body, 'level', 0), 'entity.name.variable');
  assert.equal(scope(body, 'judge'), 'keyword.other');
  assert.equal(scope('reduce a = mean(test, ask, rest, weight weight 2)', 'test'), 'variable.other');
  assert.equal(scope('reduce a = mean(test, ask, rest, weight weight 2)', 'ask'), 'variable.other');
  assert.equal(scope('reduce a = mean(test, ask, rest, weight weight 2)', 'rest'), 'variable.other');
  assert.equal(scope('reduce a = mean(weight weight 2)', 'weight', 0), 'variable.other');
  assert.equal(scope('reduce a = mean(weight weight 2)', 'weight', 1), 'keyword.other');
  assert.equal(scope('transform a = map(x) { low => 0, rest => 1 }', 'rest'), 'keyword.other');
  assert.equal(scope('transform a = bands(x) { below 0.4 => a }', 'below'), 'keyword.other');
  assert.equal(scope('reduce a = mean(x, unknown: skip)', 'unknown'), 'variable.parameter.argument');
  assert.equal(scope('  expect a == unknown', 'unknown'), 'constant.language.unknown');
});

test('expressions: calls, words of logic, numbers and ranges', () => {
  const line = 'gate final = cap(quality, at: 0.5) when care.harm and not b >= 1';
  assert.deepEqual(
    ['cap', 'at', '0.5', 'when', 'and', 'not', '>='].map((piece) => scope(line, piece)),
    [
      'entity.name.function.call', 'variable.parameter.argument', 'constant.numeric', 'keyword.control',
      'keyword.operator.word', 'keyword.operator.word', 'keyword.operator',
    ],
  );
  assert.deepEqual(scopes('int[1..5]').map(([piece]) => piece), ['int', '[', '1', '..', '5', ']']);
});

test('texts: placeholders, escapes, blocks, raw texts; comments in none of them', () => {
  const line = 'criterion a: bool "Is {{answer}} \\"fine\\" 🙂 // \\q?" // a "comment';
  assert.equal(scope(line, 'answer'), 'variable.parameter.placeholder');
  assert.equal(scope(line, '{{'), 'punctuation.definition.placeholder');
  assert.equal(scope(line, '\\"'), 'constant.character.escape');
  assert.equal(scope(line, '\\q'), 'invalid.illegal.escape');
  assert.equal(scopes(line).at(-1)?.[1], 'comment.line.double-slash');
  assert.equal(scopes('/// what "it" does')[0]?.[1], 'comment.line.documentation');
  assert.equal(scopes('//// no doc')[0]?.[1], 'comment.line.double-slash');
  assert.equal(scope('rule(matches(a, r"\\d{{2}}\\"))', '\\d{{2}}\\'), 'string.quoted.raw');
  const block = 'ask """\n  She said "so" // no comment\n  {{answer}}\n"""\nreduce a = b';
  assert.equal(scope(block, 'answer'), 'variable.parameter.placeholder');
  assert.equal(scope(block, 'reduce'), 'keyword.declaration');
});

test('a text that is not closed ends on its line', () => {
  assert.equal(scope('criterion a: bool "open\nreduce b = c', 'reduce'), 'keyword.declaration');
});

test('a fence in Markdown is coloured as the language', () => {
  const found = scopes('```rubric\ncriterion a: bool "x"\n```\ncriterion b', markdown);
  assert.ok(found.some(([piece, name]) => piece === 'criterion' && name === 'keyword.declaration'));
  assert.notEqual(found.at(-1)?.[1], 'variable.other');
});

test('the examples are coloured to their ends, texts and comments as the whole', () => {
  const programs = (folder: string): string[] =>
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? programs(path) : path.endsWith('.rubric') ? [path] : [];
    });
  const all = programs(join(project, 'examples'));
  assert.ok(all.length > 15);
  for (const path of all) {
    let state: StateStack = INITIAL;
    for (const [n, line] of readFileSync(path, 'utf8').split('\n').entries()) {
      const found = grammar.tokenizeLine(line, state);
      state = found.ruleStack;
      assert.ok(!found.stoppedEarly);
      // A declaration at the beginning of a line is one, whatever stood before it.
      if (/^(criterion|checklist|reduce|gate|readout|test|require) /.test(line)) {
        assert.equal(found.tokens[0]?.scopes.at(-1), 'keyword.declaration.rubric', `${path}:${n + 1}`);
      }
    }
    assert.equal(state.depth, 1, `${path} ends inside something`);
  }
});

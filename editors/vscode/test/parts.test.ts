// The parts of the extension that need no editor.

import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { codeAt } from '../src/code';
import { draw, escaped, page } from '../src/drawing';
import { expanded, located, run } from '../src/program';
import { verdicts } from '../src/verdicts';

const at = (line: number, character: number) => ({ line, character });

/** A folder with a program that does what a script says. */
function withProgram(script: string, then: (program: string, folder: string) => Promise<void> | void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'rubric-parts-'));
  const program = join(folder, 'rubric');
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  return Promise.resolve(then(program, folder)).finally(() => rmSync(folder, { recursive: true }));
}

test('a program is looked up on the PATH, and only what can be started counts', async () => {
  await withProgram('exit 0', (program, folder) => {
    assert.equal(located('rubric', { PATH: `/nowhere:${folder}` }), program);
    assert.equal(located('rubric', { PATH: '/nowhere' }), undefined);
    assert.equal(located(program, {}), program);
    assert.equal(located(folder, {}), undefined);
    chmodSync(program, 0o644);
    assert.equal(located(program, {}), undefined);
  });
});

test('settings may name the home and the folder', () => {
  assert.equal(expanded('${workspaceFolder}/bin/rubric', '/w'), '/w/bin/rubric');
  assert.ok(!expanded('~/rubric', undefined).includes('~'));
  assert.equal(expanded('  ', undefined), 'rubric');
});

test('a program that cannot be started, or reads nothing, is told and not thrown', async () => {
  assert.notEqual((await run('/nowhere/rubric', [])).stderr, '');
  await withProgram('exit 3', async (program) => {
    const outcome = await run(program, [], { input: 'x'.repeat(5_000_000) });
    assert.equal(outcome.code, 3);
  });
});

test('a program that cannot draw in the better format draws in the other', async () => {
  const old = `case "$*" in *svg*) echo "error: invalid value 'svg' for '--format <FORMAT>'" >&2; exit 2;; *) cat;; esac`;
  await withProgram(old, async (program, folder) => {
    assert.deepEqual(await draw(program, 'a <b>', folder), { kind: 'text', text: 'a <b>' });
  });
  await withProgram('echo "<svg/>"', async (program, folder) => {
    assert.deepEqual(await draw(program, '', folder), { kind: 'svg', svg: '<svg/>\n' });
  });
  await withProgram('echo "R0101 broken" >&2; exit 1', async (program, folder) => {
    assert.deepEqual(await draw(program, '', folder), { kind: 'fault', text: 'R0101 broken\n' });
  });
});

test('nothing of a file is run or read as markup on the page of its graph', () => {
  const evil = `"><script>alert('x')</script><img src=x onerror=alert(1)>`;
  for (const drawing of [{ kind: 'text', text: evil }, { kind: 'fault', text: evil }, { kind: 'svg', svg: `<svg>${evil}</svg>` }] as const) {
    const html = page(evil, drawing, 'abc');
    assert.ok(!/<script|<img src=x/.test(html), html);
    assert.match(html, /content="default-src 'none'; img-src data:; style-src 'nonce-abc'"/);
  }
  assert.equal(escaped(`<a href="x">&'`), '&lt;a href=&quot;x&quot;&gt;&amp;&#39;');
});

test('the code under the cursor is found: of a mistake, as a word, on the line', () => {
  const mistakes = [
    { range: { start: at(0, 4), end: at(0, 8) }, code: { value: 'R0401' } },
    { range: { start: at(2, 0), end: at(2, 3) }, code: 'R0201' },
  ];
  assert.equal(codeAt(mistakes, 'see R0102 x', at(0, 6)), 'R0401');
  assert.equal(codeAt(mistakes, 'x    // see R0102', at(0, 14)), 'R0102');
  assert.equal(codeAt(mistakes, 'abc def', at(2, 6)), 'R0201');
  assert.equal(codeAt(mistakes, 'abc', at(1, 0)), undefined);
  assert.equal(codeAt([], 'XR01020', at(0, 3)), undefined);
});

test('each requirement has its own counterexample', () => {
  const lines = ['require "a" {', '  x }', 'require "b" { y }'];
  const lens = (line: number, title: string) => ({ range: { start: at(line, 0) }, command: { title } });
  const all = verdicts(lines, [lens(2, 'no'), lens(0, 'yes')], [
    { range: { start: at(1, 2) }, message: 'x fails' },
    { range: { start: at(2, 0) }, message: 'y fails' },
  ]);
  assert.deepEqual(all.map((v) => [v.title, v.line, v.detail]), [
    ['yes', 'require "a" {', 'x fails'],
    ['no', 'require "b" { y }', 'y fails'],
  ]);
  // One whose computation has not ended has no title.
  assert.deepEqual(verdicts(lines, [{ range: { start: at(0, 0) } }], []), []);
});

// The manifest names what is there: files, commands, settings.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { register } from '../src/commands';
import { world } from './fake/vscode';

const own = resolve(__dirname, '../..');
const read = (file: string) => JSON.parse(readFileSync(join(own, file), 'utf8'));
const manifest = read('package.json');

test('every file that is named is there, and is packed', () => {
  const { languages, grammars, snippets } = manifest.contributes;
  const named = [languages[0].configuration, ...grammars.map((g: { path: string }) => g.path), snippets[0].path, manifest.main];
  const packed = readFileSync(join(own, '.vscodeignore'), 'utf8').split('\n').filter((line) => line.startsWith('!'));
  const fits = (file: string) => packed.some((line) => new RegExp(`^${line.slice(1).replace(/\./g, '\\.').replace(/\*/g, '[^/]*')}$`).test(file));
  for (const file of [...named.map((path: string) => path.replace('./', '')), 'README.md', 'CHANGELOG.md', 'LICENSE']) {
    assert.ok(existsSync(join(own, file)), file);
    assert.ok(fits(file), `${file} is not packed`);
  }
});

test('every command that is offered is known, and the other way round', () => {
  register({} as never, {} as never);
  const offered = manifest.contributes.commands.map((c: { command: string }) => c.command);
  assert.deepEqual([...world.commands.keys()].sort(), offered.sort());
});

test('the settings that the sources ask for are declared', () => {
  const sources = ['server.ts', 'commands.ts', 'graph.ts'].map((name) => readFileSync(join(own, 'src', name), 'utf8')).join('\n');
  const asked = [...sources.matchAll(/\.get(?:<[^>]*>)?\('([a-z.]+)',/g)].map((found) => `rubric.${found[1]}`);
  assert.ok(asked.length >= 3);
  const declared = Object.keys(manifest.contributes.configuration.properties);
  assert.deepEqual([...new Set(asked)].sort(), declared.sort());
});

test('snippets are whole: brackets close, and each has a prefix', () => {
  for (const [name, snippet] of Object.entries(read('snippets/rubric.json') as Record<string, { prefix: string; body: string[] }>)) {
    assert.ok(snippet.prefix && snippet.body.length, name);
    const text = snippet.body.join('\n');
    assert.equal((text.match(/\$\{/g) ?? []).length, (text.match(/\$\{\d+:/g) ?? []).length, name);
  }
});

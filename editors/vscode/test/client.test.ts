// The extension as it is, with its language client and the real server; only the editor around it is a stand-in.
// RUBRIC is the program; without it, the one that `cargo build` makes.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { activate, deactivate } from '../src/extension';
import { CodeActionKind, Position, Range, Selection, window, world, type Diagnostic, type Panel } from './fake/vscode';
import { TextDocument, TextEdit, Uri, WorkspaceEdit } from './fake/values';

// Bundled into out/test/.
const program = process.env['RUBRIC'] ?? resolve(__dirname, '../../../../target/debug/rubric');
const folder = mkdtempSync(join(tmpdir(), 'rubric-code-'));
const subscriptions: { dispose(): unknown }[] = [];

const BROKEN = `rubric b
candidate answer: text
criterion a: bool { ask: "Is {{answer}} 🙂?" }  // 🙂🙂
reduce quality = mean(normalise(a))
readout pointwise = quality
`;

const PROVED = `rubric p
candidate answer: text
criterion good: int[1..5] "Good 🙂?"
criterion bad: bool "Bad?"
gate final = cap(normalize(good), at: 0.5) when bad
readout pointwise = final
require "capped" { when bad: final <= 0.5 }
require "wrong" { when bad: final <= 0.25 }
test "holds" { given { good: 5, bad: true } expect final == 0.5 }
`;

const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => undefined }) };

async function opened(name: string, text: string): Promise<TextDocument> {
  const path = join(folder, name);
  writeFileSync(path, text);
  const document = new TextDocument(Uri.file(path), text);
  world.open(document);
  return document;
}

function found(document: TextDocument): Diagnostic[] {
  return world.diagnostics.get(document.uri.toString()) ?? [];
}

function codes(document: TextDocument): string[] {
  const value = (code: unknown) => (typeof code === 'object' && code !== null ? (code as { value: string }).value : code);
  return found(document).map((d) => String(value(d.code))).sort();
}

before(async () => {
  assert.ok(existsSync(program), `${program} is missing: cargo build --bin rubric`);
  world.settings['rubric.path'] = program;
  await activate({ subscriptions } as never);
});

after(async () => {
  await deactivate();
  subscriptions.forEach((one) => one.dispose());
  rmSync(folder, { recursive: true, force: true });
});

test('mistakes of a broken file arrive, at their places behind characters beyond the basic plane', async () => {
  const document = await opened('broken.rubric', BROKEN);
  await world.until(() => found(document).length >= 2, 'diagnostics');
  assert.deepEqual(codes(document), ['R0117', 'R0401']);
  const texts = found(document).map((d) => document.getText(d.range as never));
  assert.deepEqual(texts.sort(), [':', 'normalise']);
  assert.equal(found(document)[0]?.source, 'rubric');
});

test('the fix of a mistake mends it, and the server sees the change', async () => {
  const document = await opened('fixed.rubric', BROKEN);
  await world.until(() => found(document).length >= 2, 'diagnostics');
  for (const name of ['R0117', 'R0401']) {
    const own = found(document).find((d) => JSON.stringify(d.code).includes(name));
    assert.ok(own, name);
    const context = { diagnostics: [own], only: CodeActionKind.QuickFix, triggerKind: 1 };
    const actions = (await world.provider('CodeActions')['provideCodeActions']?.(document, own.range, context, token)) as {
      title: string;
      edit: WorkspaceEdit;
    }[];
    const edit = actions.map((action) => action.edit).find((e) => e !== undefined && e.get(document.uri).length > 0);
    assert.ok(edit, `${name}: ${JSON.stringify(actions)}`);
    world.edit(document, edit.get(document.uri));
    await world.until(() => !codes(document).includes(name), `${name} to go`);
  }
  assert.deepEqual(found(document), []);
  assert.match(document.getText(), /ask "Is \{\{answer\}\} 🙂\?" \}/);
  assert.match(document.getText(), /mean\(normalize\(a\)\)/);
});

test('a rename changes every place, behind an emoji too', async () => {
  // Two places stand behind it on its line.
  const text = PROVED.replace('"wrong" { when bad: final <= 0.25 }', '"🙂" { when final > 0.5: final <= 1 }');
  const document = await opened('renamed.rubric', text);
  await world.until(() => world.diagnostics.has(document.uri.toString()), 'diagnostics');
  const at = document.behind('gate fin');
  const provider = world.provider('Rename');
  const range = (await provider['prepareRename']?.(document, at, token)) as Range | { range: Range };
  assert.equal(document.getText(('range' in range ? range.range : range) as never), 'final');
  const edit = (await provider['provideRenameEdits']?.(document, at, 'verdict', token)) as WorkspaceEdit;
  assert.equal(edit.get(document.uri).length, 6);
  world.edit(document, edit.get(document.uri));
  assert.ok(!document.getText().includes('final'));
  assert.match(document.getText(), /"🙂" \{ when verdict > 0\.5: verdict <= 1 \}/);
  assert.match(document.getText(), /expect verdict == 0\.5/);
  await assert.rejects(async () => provider['provideRenameEdits']?.(document, document.behind('gate ver'), 'good', token));
});

test('completion inside a placeholder offers the fields', async () => {
  const document = await opened('completed.rubric', BROKEN.replace('{{answer}} 🙂', '🙂 {{'));
  const at = document.behind('🙂 {{');
  const list = (await world.provider('CompletionItem')['provideCompletionItems']?.(document, at, token, { triggerKind: 0 })) as {
    items?: { label: string }[];
  };
  const labels = (Array.isArray(list) ? list : list.items ?? []).map((item: { label: string }) => item.label);
  assert.deepEqual(labels, ['answer']);
});

test('typing is followed: every change arrives as a change', async () => {
  const document = await opened('typed.rubric', 'rubric t\n// 🙂\n');
  for (const sign of 'criterion 🙂') {
    const end = document.positionAt(document.getText().length);
    world.edit(document, [TextEdit.insert(end, sign)]);
  }
  await world.until(() => codes(document).includes('R0105'), 'the emoji to be refused');
  const end = document.positionAt(document.getText().length);
  world.edit(document, [TextEdit.replace(new Range(new Position(2, 0), end), '')]);
  await world.until(() => !codes(document).includes('R0105'), 'the emoji to be forgotten');
});

test('lenses say what is proved and tested, and the list shows the counterexample', async () => {
  const document = await opened('proved.rubric', PROVED);
  const lenses = async () =>
    ((await world.provider('CodeLens')['provideCodeLenses']?.(document, token)) ?? []) as { command?: { title: string } }[];
  let titles: string[] = [];
  await world.until(() => found(document).some((d) => d.message.includes('wrong')), 'the counterexample');
  titles = (await lenses()).map((lens) => lens.command?.title ?? '');
  assert.deepEqual(titles, ['✓ proved', '✗ does not always hold', '✓ holds']);
  let items: { label: string; description: string; detail: string }[] = [];
  world.choose = (all) => {
    items = all as typeof items;
    return items[1];
  };
  await world.commands.get('rubric.proofs')?.();
  world.choose = () => undefined;
  assert.deepEqual(items.map((item) => item.label), titles);
  assert.match(items[1]?.description ?? '', /^require "wrong"/);
  assert.match(items[1]?.detail ?? '', /final/);
  assert.equal(items[0]?.detail, '');
});

test('the graph is drawn, without scripts, and follows the text', async () => {
  const document = await opened('drawn.rubric', PROVED);
  await world.commands.get('rubric.graph')?.();
  const panel = world.panels.at(-1) as Panel;
  assert.equal(panel.options.enableScripts, false);
  assert.match(panel.webview.html, /default-src 'none'/);
  const shown = () => {
    const image = /base64,([^"]+)"/.exec(panel.webview.html)?.[1];
    return image === undefined ? panel.webview.html : Buffer.from(image, 'base64').toString('utf8');
  };
  assert.match(shown(), /final/);
  const end = document.positionAt(document.getText().length);
  world.edit(document, [TextEdit.replace(new Range(new Position(0, 0), end), PROVED.replaceAll('final', 'verdict'))]);
  await world.until(() => shown().includes('verdict'), 'the drawing to follow');
  // A text with mistakes says so instead, as text.
  world.edit(document, [TextEdit.insert(new Position(0, 0), '<script>alert(1)</script>')]);
  await world.until(() => panel.webview.html.includes('role="alert"'), 'the mistake');
  assert.ok(!panel.webview.html.includes('<script'));
  panel.dispose();
});

test('check, test and explain show what the program says', async () => {
  await opened('said.rubric', PROVED);
  await world.commands.get('rubric.check')?.();
  assert.match(world.output, /wrong/);
  await world.commands.get('rubric.test')?.();
  assert.match(world.output, /1 test|holds/);
  const document = await opened('explained.rubric', BROKEN);
  await world.until(() => codes(document).includes('R0401'), 'diagnostics');
  const at = document.behind('normal');
  assert.ok(window.activeTextEditor);
  window.activeTextEditor.selection = new Selection(at, at);
  await world.commands.get('rubric.explain')?.();
  assert.match(world.shown.at(-1)?.document.getText() ?? '', /R0401/);
});

test('another program in the settings is started; a missing one is told with what to do', async () => {
  world.messages.length = 0;
  world.choose = (choices) => choices[0];
  world.configure({ 'rubric.path': '/nowhere/rubric' });
  await world.until(() => world.messages.at(-1), 'a message');
  assert.match(world.messages.at(-1)?.text ?? '', /\/nowhere\/rubric.*not found.*rubric\.path/s);
  assert.deepEqual(world.messages.at(-1)?.choices, ['Open Settings', 'How to Install']);
  await world.until(() => world.executed.length, 'the settings to be opened');
  assert.deepEqual(world.executed.at(-1), ['workbench.action.openSettings', 'rubric.path']);
  assert.match(String(world.status['text']), /warning/);
  world.choose = () => undefined;

  world.configure({ 'rubric.path': program });
  await world.until(() => String(world.status['text']).includes('check'), 'the server to be started');
  const document = await opened('again.rubric', BROKEN);
  await world.until(() => found(document).length >= 2, 'diagnostics of the server that was started again');
});

test('a server that is killed is started again, and knows the open files', async () => {
  const [watched, pid] = [join(folder, 'watched'), join(folder, 'pid')];
  writeFileSync(watched, `#!/bin/sh\necho $$ > '${pid}'\nexec '${program}' "$@"\n`, { mode: 0o755 });
  world.configure({ 'rubric.path': watched });
  const started = await world.until(() => existsSync(pid) && Number(readFileSync(pid, 'utf8')), 'the server to start');
  const document = await opened('killed.rubric', BROKEN);
  await world.until(() => found(document).length >= 2, 'diagnostics');
  world.diagnostics.delete(document.uri.toString());
  process.kill(started, 'SIGKILL');
  await world.until(() => Number(readFileSync(pid, 'utf8')) !== started, 'another server to start');
  await world.until(() => found(document).length >= 2, 'diagnostics of the other server');
});

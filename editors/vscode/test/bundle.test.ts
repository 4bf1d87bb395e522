// What is packed: the one file, loaded as the editor loads it, starts the server and shows the mistakes of a file.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import Module from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import * as vscode from './fake/vscode';
import { TextDocument, Uri } from './fake/values';

type Load = (request: string, ...rest: unknown[]) => unknown;

test('the bundle that is packed works', async () => {
  const loader = Module as unknown as { _load: Load };
  const load = loader._load;
  loader._load = (request, ...rest) => (request === 'vscode' ? vscode : load(request, ...rest));
  const folder = mkdtempSync(join(tmpdir(), 'rubric-bundle-'));
  const subscriptions: { dispose(): unknown }[] = [];
  // The path is put together, so that the bundler leaves it alone.
  const bundle = require([__dirname, '..', 'extension.js'].join('/')) as typeof import('../src/extension');
  try {
    const { world } = vscode;
    world.settings['rubric.path'] = process.env['RUBRIC'] ?? resolve(__dirname, '../../../../target/debug/rubric');
    await bundle.activate({ subscriptions } as never);
    const text = 'rubric b\ncriterion a: bool "x"\nreadout pointwise = b\n';
    const document = new TextDocument(Uri.file(join(folder, 'b.rubric')), text);
    writeFileSync(document.uri.fsPath, text);
    world.open(document);
    const found = await world.until(() => world.diagnostics.get(document.uri.toString())?.length, 'diagnostics');
    assert.ok(found > 0);
  } finally {
    await bundle.deactivate();
    subscriptions.forEach((one) => one.dispose());
    loader._load = load;
    rmSync(folder, { recursive: true });
  }
});

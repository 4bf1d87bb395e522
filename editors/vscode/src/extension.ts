// Rubric for Visual Studio Code: starts the language server, and offers what `rubric` can do as commands.

import * as vscode from 'vscode';
import { register } from './commands';
import { Graphs } from './graph';
import { Server } from './server';

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const started = new Server();
  server = started;
  const graphs = new Graphs(() => started.program());
  context.subscriptions.push(started, graphs, ...register(started, graphs));
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('rubric')) {
        void started.restart();
      }
    }),
  );
  await started.restart();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
  server = undefined;
}

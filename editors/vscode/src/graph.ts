// The panel with the graph of a program. It follows the text while it is written, saved or not.

import { randomBytes } from 'node:crypto';
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { draw, page } from './drawing';

/** How long the text has to rest before it is drawn again (milliseconds). */
const REST = 300;

/** All panels, one a file. */
export class Graphs implements vscode.Disposable {
  private readonly panels = new Map<string, vscode.WebviewPanel>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly watching: vscode.Disposable[];

  constructor(private readonly program: () => string | undefined) {
    this.watching = [vscode.workspace.onDidChangeTextDocument((change) => this.later(change.document))];
  }

  /** Opens the panel of a document beside it, or brings it to the front. */
  async show(document: vscode.TextDocument): Promise<void> {
    const key = document.uri.toString();
    const open = this.panels.get(key);
    if (open !== undefined) {
      open.reveal(undefined, true);
    } else {
      const title = `Graph of ${basename(document.uri.fsPath)}`;
      const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
      const panel = vscode.window.createWebviewPanel('rubric.graph', title, place, {
        enableScripts: false,
        localResourceRoots: [],
      });
      this.panels.set(key, panel);
      panel.onDidDispose(() => {
        this.panels.delete(key);
        clearTimeout(this.timers.get(key));
        this.timers.delete(key);
      });
    }
    await this.draw(document);
  }

  private later(document: vscode.TextDocument): void {
    const key = document.uri.toString();
    if (this.panels.has(key)) {
      clearTimeout(this.timers.get(key));
      this.timers.set(key, setTimeout(() => void this.draw(document), REST));
    }
  }

  private async draw(document: vscode.TextDocument): Promise<void> {
    const program = this.program();
    const version = document.version;
    const drawing =
      program === undefined
        ? ({ kind: 'fault', text: 'The program `rubric` was not found.' } as const)
        : await draw(program, document.getText(), dirname(document.uri.fsPath));
    const panel = this.panels.get(document.uri.toString());
    // A later text is drawn already, or about to be.
    if (panel !== undefined && document.version === version) {
      panel.webview.html = page(basename(document.uri.fsPath), drawing, randomBytes(16).toString('hex'));
    }
  }

  dispose(): void {
    this.watching.forEach((one) => void one.dispose());
    this.timers.forEach((timer) => clearTimeout(timer));
    this.panels.forEach((panel) => panel.dispose());
  }
}

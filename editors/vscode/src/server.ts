// The language server: started with the program of the settings, watched, restarted, and its state shown in the status bar.

import * as vscode from 'vscode';
import { LanguageClient, State, Trace, type LanguageClientOptions, type ServerOptions } from 'vscode-languageclient/node';
import { expanded, located } from './program';

/** Where it is told how `rubric` is installed. */
const HOW_TO = 'https://github.com/rubric-lang/rubric-lang#readme';

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private readonly output: vscode.LogOutputChannel;
  private readonly status: vscode.StatusBarItem;
  /** Starts and stops, one after the other. */
  private queue: Promise<void> = Promise.resolve();

  constructor() {
    this.output = vscode.window.createOutputChannel('Rubric Language Server', { log: true });
    this.status = vscode.window.createStatusBarItem('rubric.status', vscode.StatusBarAlignment.Right, 10);
    this.status.name = 'Rubric';
    this.show('$(circle-slash) rubric', 'The language server has not been started.', 'rubric.restart');
    this.status.show();
  }

  /** The program of the settings, where it can be started. */
  program(): string | undefined {
    return located(this.wanted());
  }

  /** What the settings say. */
  wanted(): string {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    return expanded(vscode.workspace.getConfiguration('rubric').get('path', 'rubric'), folder);
  }

  /** The client, where the server runs. */
  running(): LanguageClient | undefined {
    return this.client?.state === State.Running ? this.client : undefined;
  }

  /** Starts the server, or starts it anew. */
  restart(): Promise<void> {
    this.queue = this.queue.then(async () => {
      await this.end();
      await this.start();
    });
    return this.queue;
  }

  showOutput(): void {
    this.output.show(true);
  }

  private async start(): Promise<void> {
    const program = this.program();
    if (program === undefined) {
      this.missing();
      return;
    }
    const settings = vscode.workspace.getConfiguration('rubric');
    const command = { command: program, args: ['lsp', ...settings.get<string[]>('arguments', [])] };
    const server: ServerOptions = { run: command, debug: command };
    const options: LanguageClientOptions = {
      documentSelector: [
        { scheme: 'file', language: 'rubric' },
        { scheme: 'untitled', language: 'rubric' },
      ],
      outputChannel: this.output,
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher('**/*.rubric') },
    };
    const client = new LanguageClient('rubric', 'Rubric', server, options);
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) {
        this.show('$(check) rubric', `\`${program}\` answers.`, 'rubric.output');
      } else if (newState === State.Starting) {
        this.show('$(sync~spin) rubric', `\`${program}\` is being started.`, 'rubric.output');
      } else {
        this.show('$(circle-slash) rubric', 'The language server has ended. Click to start it again.', 'rubric.restart');
      }
    });
    try {
      await client.start();
      await client.setTrace(Trace.fromString(settings.get('trace.server', 'off')));
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      this.show('$(error) rubric', `\`${program} lsp\` could not be started: ${said}`, 'rubric.output');
      void this.tell(`Rubric: \`${program} lsp\` could not be started. ${said}`, ['Show Output', 'Open Settings']);
    }
  }

  /** Says what to do; the editor goes on with colours and snippets alone. */
  private missing(): void {
    const wanted = this.wanted();
    const text =
      `The program \`${wanted}\` was not found, so that mistakes, completion and proofs are missing. ` +
      'Install `rubric`, or set `rubric.path` to where it is.';
    this.show('$(warning) rubric', text, 'rubric.restart');
    void this.tell(`Rubric: ${text}`, ['Open Settings', 'How to Install']);
  }

  private async tell(text: string, choices: string[]): Promise<void> {
    switch (await vscode.window.showErrorMessage(text, ...choices)) {
      case 'Open Settings':
        await vscode.commands.executeCommand('workbench.action.openSettings', 'rubric.path');
        break;
      case 'How to Install':
        await vscode.env.openExternal(vscode.Uri.parse(HOW_TO));
        break;
      case 'Show Output':
        this.showOutput();
        break;
    }
  }

  private show(text: string, tooltip: string, command: string): void {
    this.status.text = text;
    this.status.tooltip = tooltip;
    this.status.command = command;
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client !== undefined) {
      // One that never started cannot be stopped.
      await client.dispose().catch(() => undefined);
    }
  }

  /** Ends the server, and waits for it. */
  async stop(): Promise<void> {
    this.queue = this.queue.then(() => this.end());
    await this.queue;
  }

  dispose(): void {
    void this.stop();
    this.status.dispose();
    this.output.dispose();
  }
}

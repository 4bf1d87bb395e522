// The commands: each runs the program, or asks the server, about the file that is open.

import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { codeAt } from './code';
import type { Graphs } from './graph';
import { run } from './program';
import type { Server } from './server';
import { verdicts, type Lens } from './verdicts';

/** The scheme of the pages about codes. */
const PAGES = 'rubric-code';

/** Shows what `rubric explain CODE` prints. */
class Pages implements vscode.TextDocumentContentProvider {
  constructor(private readonly server: Server) {}

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const code = uri.path.replace(/\.md$/, '').replace(/^\//, '');
    const program = this.server.program();
    if (program === undefined) {
      return `The program \`${this.server.wanted()}\` was not found.\n`;
    }
    const outcome = await run(program, ['explain', code]);
    return outcome.stdout || outcome.stderr;
  }
}

/** The rubric that is being edited. */
function editor(): vscode.TextEditor | undefined {
  const active = vscode.window.activeTextEditor;
  if (active?.document.languageId === 'rubric') {
    return active;
  }
  void vscode.window.showInformationMessage('Open a `.rubric` file first.');
  return undefined;
}

/** Runs `rubric COMMAND FILE` on the text as it is, and shows what it says. */
async function report(server: Server, output: vscode.OutputChannel, command: 'check' | 'test'): Promise<void> {
  const active = editor();
  const program = server.program();
  if (active === undefined) {
    return;
  }
  if (program === undefined) {
    // Says what to do.
    await server.restart();
    return;
  }
  const { document } = active;
  const saved = !document.isUntitled && (!document.isDirty || (await document.save()));
  if (!saved) {
    void vscode.window.showInformationMessage('Save the file first: `rubric` reads it from disk.');
    return;
  }
  const path = document.uri.fsPath;
  output.clear();
  output.appendLine(`rubric ${command} ${path}`);
  const outcome = await run(program, [command, path], { cwd: dirname(path) });
  output.append(outcome.stdout);
  output.append(outcome.stderr);
  output.show(true);
}

/** Opens the page of the code under the cursor, or of one that is asked for. */
async function explain(): Promise<void> {
  const active = editor();
  if (active === undefined) {
    return;
  }
  const cursor = active.selection.active;
  const found = vscode.languages.getDiagnostics(active.document.uri);
  const code =
    codeAt(found, active.document.lineAt(cursor.line).text, cursor) ??
    (await vscode.window.showInputBox({ prompt: 'No code is here. Which one?', placeHolder: 'R0101' }))?.trim();
  if (!code) {
    return;
  }
  const page = await vscode.workspace.openTextDocument(vscode.Uri.parse(`${PAGES}:${encodeURIComponent(code)}.md`));
  await vscode.window.showTextDocument(page, { viewColumn: vscode.ViewColumn.Beside, preview: true });
}

/** Lists requirements and tests with what came of them; choosing one goes there. */
async function proofs(server: Server): Promise<void> {
  const active = editor();
  const client = server.running();
  if (active === undefined) {
    return;
  }
  if (client === undefined) {
    await server.restart();
    return;
  }
  const { document } = active;
  const lenses = await client.sendRequest<Lens[] | null>('textDocument/codeLens', {
    textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri) },
  });
  const mistakes = vscode.languages.getDiagnostics(document.uri).map(({ range, message }) => ({ range, message }));
  const all = verdicts(document.getText().split('\n'), lenses ?? [], mistakes);
  if (all.length === 0) {
    void vscode.window.showInformationMessage(
      'Nothing is proved or tested here yet: the file has no `require` and no `test`, has mistakes, or is still being computed.',
    );
    return;
  }
  const items = all.map((verdict) => ({ label: verdict.title, description: verdict.line, detail: verdict.detail, verdict }));
  const chosen = await vscode.window.showQuickPick(items, { matchOnDescription: true, matchOnDetail: true });
  if (chosen !== undefined) {
    const { line, character } = chosen.verdict.place;
    const at = new vscode.Position(line, character);
    active.selection = new vscode.Selection(at, at);
    active.revealRange(new vscode.Range(at, at));
  }
}

/** Makes all commands known. */
export function register(server: Server, graphs: Graphs): vscode.Disposable[] {
  const output = vscode.window.createOutputChannel('Rubric');
  const command = (name: string, action: () => unknown) => vscode.commands.registerCommand(`rubric.${name}`, action);
  return [
    output,
    vscode.workspace.registerTextDocumentContentProvider(PAGES, new Pages(server)),
    command('check', () => report(server, output, 'check')),
    command('test', () => report(server, output, 'test')),
    command('explain', explain),
    command('proofs', () => proofs(server)),
    command('graph', () => {
      const active = editor();
      return active && graphs.show(active.document);
    }),
    command('restart', () => server.restart()),
    command('output', () => server.showOutput()),
  ];
}

// The editor's interface as far as the extension and its language client use it, without an editor. It keeps what it is
// given: commands, providers, diagnostics, messages, panels; `world` is what a test sees and steers.

import { Location, Position, Range, Selection, TextDocument, TextEdit, Uri, WorkspaceEdit, Diagnostic } from './values';

export { Location, Position, Range, Selection, TextEdit, Uri, WorkspaceEdit, Diagnostic };
export const version = '1.91.0';

export class Disposable {
  constructor(private readonly end: () => unknown) {}
  static from(...all: { dispose(): unknown }[]): Disposable {
    return new Disposable(() => all.forEach((one) => one.dispose()));
  }
  dispose(): unknown {
    return this.end();
  }
}

export class EventEmitter<T> {
  private readonly listeners = new Set<(event: T) => unknown>();
  readonly event = (listener: (event: T) => unknown, self?: unknown, keep?: Disposable[]): Disposable => {
    const bound = self === undefined ? listener : listener.bind(self);
    this.listeners.add(bound);
    const end = new Disposable(() => this.listeners.delete(bound));
    keep?.push(end);
    return end;
  };
  fire(event: T): void {
    [...this.listeners].forEach((listener) => listener(event));
  }
  dispose(): void {
    this.listeners.clear();
  }
}

export class CancellationTokenSource {
  private readonly emitter = new EventEmitter<void>();
  readonly token = { isCancellationRequested: false, onCancellationRequested: this.emitter.event };
  cancel(): void {
    this.token.isCancellationRequested = true;
    this.emitter.fire();
  }
  dispose(): void {
    this.emitter.dispose();
  }
}

export class CancellationError extends Error {}

// What the client makes out of answers: bags of values.
export class CompletionItem {
  constructor(public label: string, public kind?: number) {}
}
export class CompletionList {
  constructor(public items: CompletionItem[] = [], public isIncomplete = false) {}
}
export class CodeAction {
  edit?: WorkspaceEdit;
  constructor(public title: string, public kind?: unknown) {}
}
export class CodeLens {
  constructor(public range: Range, public command?: { title: string; command: string }) {}
}
export class DocumentLink {
  constructor(public range: Range, public target?: Uri) {}
}
export class InlayHint {
  constructor(public position: Position, public label: unknown, public kind?: number) {}
}
export class InlayHintLabelPart {
  constructor(public value: string) {}
}
export class SymbolInformation {
  constructor(public name: string, public kind: number, public containerName: string, public location: Location) {}
}
export class DocumentSymbol {
  children: DocumentSymbol[] = [];
  constructor(
    public name: string,
    public detail: string,
    public kind: number,
    public range: Range,
    public selectionRange: Range,
  ) {}
}
export class CallHierarchyItem {}
export class TypeHierarchyItem {}
export class Hover {
  constructor(public contents: unknown, public range?: Range) {}
}
export class MarkdownString {
  constructor(public value = '') {}
  appendMarkdown(text: string): this {
    this.value += text;
    return this;
  }
  appendCodeblock(text: string): this {
    return this.appendMarkdown(`\n\`\`\`\n${text}\n\`\`\`\n`);
  }
}
export class FoldingRange {
  constructor(public start: number, public end: number, public kind?: number) {}
}
export class DocumentHighlight {
  constructor(public range: Range, public kind?: number) {}
}
export class SemanticTokens {
  constructor(public data: Uint32Array, public resultId?: string) {}
}
export class SemanticTokensLegend {
  constructor(public tokenTypes: string[], public tokenModifiers: string[]) {}
}
export class SnippetString {
  constructor(public value = '') {}
}
export class RelativePattern {
  constructor(public baseUri: Uri, public pattern: string) {}
}
export class CodeActionKind {
  constructor(readonly value: string) {}
  append(part: string): CodeActionKind {
    return new CodeActionKind(this.value ? `${this.value}.${part}` : part);
  }
  static readonly Empty = new CodeActionKind('');
  static readonly QuickFix = new CodeActionKind('quickfix');
  static readonly Refactor = new CodeActionKind('refactor');
  static readonly RefactorExtract = new CodeActionKind('refactor.extract');
  static readonly RefactorInline = new CodeActionKind('refactor.inline');
  static readonly RefactorRewrite = new CodeActionKind('refactor.rewrite');
  static readonly Source = new CodeActionKind('source');
  static readonly SourceOrganizeImports = new CodeActionKind('source.organizeImports');
}
export class TabInputText {}
export class TabInputTextDiff {}
export class TabInputCustom {}
export class TabInputNotebook {}

export const ViewColumn = { Active: -1, Beside: -2, One: 1 };
export const StatusBarAlignment = { Left: 1, Right: 2 };
export const ProgressLocation = { Window: 10, Notification: 15 };
export const LogLevel = { Off: 0, Trace: 1, Debug: 2, Info: 3, Warning: 4, Error: 5 };
export const DiagnosticSeverity = { Error: 0, Warning: 1, Information: 2, Hint: 3 };
export const DiagnosticTag = { Unnecessary: 1, Deprecated: 2 };
export const CompletionItemKind = { Text: 0, Class: 6, Reference: 17 };
export const CompletionItemTag = { Deprecated: 1 };
export const CompletionTriggerKind = { Invoke: 0, TriggerCharacter: 1, TriggerForIncompleteCompletions: 2 };
export const CodeActionTriggerKind = { Invoke: 1, Automatic: 2 };
export const SymbolKind = { File: 0, TypeParameter: 25 };
export const SymbolTag = { Deprecated: 1 };
export const DocumentHighlightKind = { Text: 0, Read: 1, Write: 2 };
export const FoldingRangeKind = { Comment: 1, Imports: 2, Region: 3 };
export const SignatureHelpTriggerKind = { Invoke: 1, TriggerCharacter: 2, ContentChange: 3 };
export const TextDocumentSaveReason = { Manual: 1, AfterDelay: 2, FocusOut: 3 };
export const InlineCompletionTriggerKind = { Invoke: 0, Automatic: 1 };
export const FileType = { Unknown: 0, File: 1, Directory: 2, SymbolicLink: 64 };

/** A provider of the client: what it is asked with. */
type Provider = Record<string, (...args: unknown[]) => unknown>;

export interface Panel {
  title: string;
  options: { enableScripts?: boolean; localResourceRoots?: unknown[] };
  webview: { html: string };
  reveal(): void;
  dispose(): void;
}

const events = {
  open: new EventEmitter<TextDocument>(),
  change: new EventEmitter<{ document: TextDocument; contentChanges: unknown[]; reason: undefined }>(),
  close: new EventEmitter<TextDocument>(),
  configuration: new EventEmitter<{ affectsConfiguration(section: string): boolean }>(),
  diagnostics: new EventEmitter<{ uris: Uri[] }>(),
};

/** What a test sees and steers. */
export const world = {
  settings: {} as Record<string, unknown>,
  commands: new Map<string, (...args: unknown[]) => unknown>(),
  providers: new Map<string, Provider[]>(),
  diagnostics: new Map<string, Diagnostic[]>(),
  messages: [] as { kind: string; text: string; choices: string[] }[],
  /** What is chosen of a message or of a list. */
  choose: (_choices: unknown[]): unknown => undefined,
  executed: [] as unknown[][],
  opened: [] as string[],
  panels: [] as Panel[],
  output: '',
  status: { text: '', tooltip: '', command: '' } as Record<string, unknown>,
  shown: [] as { document: TextDocument }[],
  contents: new Map<string, { provideTextDocumentContent(uri: Uri): Promise<string> }>(),
  documents: [] as TextDocument[],

  open(document: TextDocument): void {
    world.documents.push(document);
    const at = new Position(0, 0);
    window.activeTextEditor = { document, selection: new Selection(at, at), revealRange: () => undefined };
    events.open.fire(document);
  },
  edit(document: TextDocument, edits: TextEdit[]): void {
    events.change.fire({ document, contentChanges: document.edit(edits), reason: undefined });
  },
  configure(settings: Record<string, unknown>): void {
    Object.assign(world.settings, settings);
    const affectsConfiguration = (section: string) => Object.keys(settings).some((key) => key.startsWith(section));
    events.configuration.fire({ affectsConfiguration });
  },
  provider(kind: string): Provider {
    const found = world.providers.get(kind)?.at(-1);
    if (found === undefined) {
      throw new Error(`no provider of ${kind}; there are ${[...world.providers.keys()].join(', ')}`);
    }
    return found;
  },
  /** Waits until something holds. */
  async until<T>(holds: () => T | undefined | false, what: string): Promise<T> {
    const end = Date.now() + 20_000;
    for (;;) {
      const found = holds();
      if (found !== undefined && found !== false) {
        return found;
      }
      if (Date.now() > end) {
        throw new Error(`waited in vain: ${what}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  },
};

function told(kind: string) {
  return async (text: string, ...choices: string[]): Promise<unknown> => {
    world.messages.push({ kind, text, choices });
    return world.choose(choices);
  };
}

const line = (text: string): void => void (world.output += `${text}\n`);
const outputChannel = () => ({
  append: (text: string) => void (world.output += text),
  appendLine: line,
  replace: (text: string) => void (world.output = text),
  clear: () => void (world.output = ''),
  show: () => undefined,
  hide: () => undefined,
  dispose: () => undefined,
  trace: line,
  debug: line,
  info: line,
  warn: line,
  error: line,
  logLevel: LogLevel.Info,
  onDidChangeLogLevel: new EventEmitter().event,
});

const never = () => new EventEmitter<never>().event;

export const window = {
  activeTextEditor: undefined as { document: TextDocument; selection: Selection; revealRange(): void } | undefined,
  visibleTextEditors: [],
  tabGroups: { all: [], onDidChangeTabs: never(), onDidChangeTabGroups: never() },
  onDidChangeActiveTextEditor: never(),
  onDidChangeVisibleTextEditors: never(),
  showInformationMessage: told('information'),
  showWarningMessage: told('warning'),
  showErrorMessage: told('error'),
  showInputBox: async () => world.choose([]),
  showQuickPick: async (items: unknown[]) => world.choose(items),
  showTextDocument: async (document: TextDocument) => void world.shown.push({ document }),
  createOutputChannel: outputChannel,
  createStatusBarItem: () => Object.assign(world.status, { show: () => undefined, dispose: () => undefined }),
  withProgress: async (_options: unknown, task: (progress: unknown, token: unknown) => unknown) =>
    task({ report: () => undefined }, new CancellationTokenSource().token),
  createWebviewPanel: (_kind: string, title: string, _place: unknown, options: Panel['options']) => {
    const closed = new EventEmitter<void>();
    const panel = {
      title,
      options,
      webview: { html: '' },
      onDidDispose: closed.event,
      reveal: () => undefined,
      dispose: () => {
        world.panels.splice(world.panels.indexOf(panel), 1);
        closed.fire();
      },
    };
    world.panels.push(panel);
    return panel;
  },
};

const watcher = () => ({ onDidCreate: never(), onDidChange: never(), onDidDelete: never(), dispose: () => undefined });

export const workspace = {
  workspaceFolders: undefined,
  get textDocuments() {
    return world.documents;
  },
  notebookDocuments: [],
  onDidOpenTextDocument: events.open.event,
  onDidChangeTextDocument: events.change.event,
  onDidCloseTextDocument: events.close.event,
  onDidSaveTextDocument: never(),
  onWillSaveTextDocument: never(),
  onDidChangeConfiguration: events.configuration.event,
  onDidChangeWorkspaceFolders: never(),
  onDidCreateFiles: never(),
  onDidRenameFiles: never(),
  onDidDeleteFiles: never(),
  onWillCreateFiles: never(),
  onWillRenameFiles: never(),
  onWillDeleteFiles: never(),
  onDidOpenNotebookDocument: never(),
  onDidChangeNotebookDocument: never(),
  onDidSaveNotebookDocument: never(),
  onDidCloseNotebookDocument: never(),
  getConfiguration: (section?: string) => ({
    get: (key: string, otherwise?: unknown) => world.settings[section ? `${section}.${key}` : key] ?? otherwise,
    has: () => false,
    inspect: () => undefined,
  }),
  createFileSystemWatcher: watcher,
  registerTextDocumentContentProvider: (scheme: string, provider: never) => {
    world.contents.set(scheme, provider);
    return new Disposable(() => world.contents.delete(scheme));
  },
  openTextDocument: async (uri: Uri) => {
    const text = await world.contents.get(uri.scheme)?.provideTextDocumentContent(uri);
    return new TextDocument(uri, text ?? '', 'markdown');
  },
  applyEdit: async (edit: WorkspaceEdit) => {
    world.documents.forEach((document) => {
      const edits = edit.get(document.uri);
      if (edits.length > 0) {
        world.edit(document, edits);
      }
    });
    return true;
  },
};

const register =
  (kind: string) =>
  (_selector: unknown, provider: Provider): Disposable => {
    const all = world.providers.get(kind) ?? [];
    world.providers.set(kind, [...all, provider]);
    return new Disposable(() => world.providers.set(kind, (world.providers.get(kind) ?? []).filter((p) => p !== provider)));
  };

export const languages = {
  match: (selector: { scheme?: string; language?: string }[] | { language?: string }, document: TextDocument): number => {
    const all = Array.isArray(selector) ? selector : [selector];
    const fits = (one: { scheme?: string; language?: string }) =>
      (one.language ?? document.languageId) === document.languageId && (one.scheme ?? document.uri.scheme) === document.uri.scheme;
    return all.some(fits) ? 10 : 0;
  },
  createDiagnosticCollection: () => {
    const own = new Map<string, Diagnostic[]>();
    const set = (uri: Uri, found?: Diagnostic[]) => {
      own.set(uri.toString(), found ?? []);
      world.diagnostics.set(uri.toString(), found ?? []);
      events.diagnostics.fire({ uris: [uri] });
    };
    const forget = () => own.forEach((_, uri) => world.diagnostics.delete(uri));
    return { set, delete: (uri: Uri) => set(uri, []), get: (uri: Uri) => own.get(uri.toString()), clear: forget, dispose: forget };
  },
  getDiagnostics: (uri: Uri) => world.diagnostics.get(uri.toString()) ?? [],
  onDidChangeDiagnostics: events.diagnostics.event,
  registerWorkspaceSymbolProvider: (provider: Provider) => register('WorkspaceSymbol')(undefined, provider),
  ...Object.fromEntries(
    [
      'SignatureHelp', 'TypeHierarchy', 'TypeDefinition', 'SelectionRange', 'Rename', 'Reference', 'OnTypeFormattingEdit',
      'InlineValues', 'InlineCompletionItem', 'InlayHints', 'Implementation', 'Hover', 'FoldingRange', 'DocumentSymbol',
      'DocumentRangeFormattingEdit', 'DocumentLink', 'DocumentHighlight', 'DocumentFormattingEdit', 'Definition',
      'Declaration', 'CompletionItem', 'Color', 'CodeLens', 'CodeActions', 'CallHierarchy', 'DocumentSemanticTokens',
      'DocumentRangeSemanticTokens', 'LinkedEditingRange', 'EvaluatableExpression',
    ].map((kind) => [`register${kind}Provider`, register(kind)]),
  ),
};

export const commands = {
  registerCommand: (name: string, action: (...args: unknown[]) => unknown) => {
    world.commands.set(name, action);
    return new Disposable(() => world.commands.delete(name));
  },
  executeCommand: async (...call: unknown[]) => {
    world.executed.push(call);
    return world.commands.get(call[0] as string)?.(...call.slice(1));
  },
};

export const env = {
  appName: 'test',
  language: 'en',
  openExternal: async (uri: Uri) => void world.opened.push(uri.toString()),
};

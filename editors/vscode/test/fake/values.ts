// The plain values of the editor's interface: places, texts that change, and what is shown of them. Only for tests.

export class Position {
  constructor(readonly line: number, readonly character: number) {}
  isBefore(other: Position): boolean {
    return this.line < other.line || (this.line === other.line && this.character < other.character);
  }
  isEqual(other: Position): boolean {
    return this.line === other.line && this.character === other.character;
  }
}

export class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(a: Position | number, b: Position | number, c?: number, d?: number) {
    this.start = typeof a === 'number' ? new Position(a, b as number) : a;
    this.end = typeof a === 'number' ? new Position(c ?? 0, d ?? 0) : (b as Position);
  }
  get isEmpty(): boolean {
    return this.start.isEqual(this.end);
  }
  contains(at: Position): boolean {
    return !at.isBefore(this.start) && !this.end.isBefore(at);
  }
}

export class Selection extends Range {
  constructor(readonly anchor: Position, readonly active: Position) {
    super(anchor, active);
  }
}

export class Uri {
  private constructor(readonly scheme: string, readonly path: string) {}
  readonly authority = '';
  readonly query = '';
  readonly fragment = '';
  static parse(text: string): Uri {
    const [, scheme = 'file', path = ''] = /^([a-z-]+):(?:\/\/)?(.*)$/.exec(text) ?? [];
    return new Uri(scheme, decodeURIComponent(path));
  }
  static file(path: string): Uri {
    return new Uri('file', path);
  }
  get fsPath(): string {
    return this.path;
  }
  toString(): string {
    const path = this.path.split('/').map(encodeURIComponent).join('/');
    return this.scheme === 'file' ? `file://${path}` : `${this.scheme}:${path}`;
  }
  toJSON(): string {
    return this.toString();
  }
}

export class Location {
  constructor(readonly uri: Uri, readonly range: Range) {}
}

export class Diagnostic {
  code?: unknown;
  source?: string;
  constructor(public range: Range, public message: string, public severity = 0) {}
}

export class TextEdit {
  constructor(public range: Range, public newText: string) {}
  static replace(range: Range, text: string): TextEdit {
    return new TextEdit(range, text);
  }
  static insert(at: Position, text: string): TextEdit {
    return new TextEdit(new Range(at, at), text);
  }
  static delete(range: Range): TextEdit {
    return new TextEdit(range, '');
  }
}

export class WorkspaceEdit {
  private readonly files = new Map<string, TextEdit[]>();
  private of(uri: Uri): TextEdit[] {
    const edits = this.files.get(uri.toString()) ?? [];
    this.files.set(uri.toString(), edits);
    return edits;
  }
  set(uri: Uri, edits: TextEdit[]): void {
    this.files.set(uri.toString(), edits);
  }
  replace(uri: Uri, range: Range, text: string): void {
    this.of(uri).push(new TextEdit(range, text));
  }
  insert(uri: Uri, at: Position, text: string): void {
    this.replace(uri, new Range(at, at), text);
  }
  delete(uri: Uri, range: Range): void {
    this.replace(uri, range, '');
  }
  get(uri: Uri): TextEdit[] {
    return this.files.get(uri.toString()) ?? [];
  }
  get size(): number {
    return this.files.size;
  }
}

/** A text that is open, whose columns count UTF-16 units as the editor's do. */
export class TextDocument {
  version = 1;
  isDirty = false;
  isClosed = false;
  readonly isUntitled = false;
  readonly eol = 1;
  constructor(readonly uri: Uri, private text: string, readonly languageId = 'rubric') {}
  get fileName(): string {
    return this.uri.fsPath;
  }
  get lineCount(): number {
    return this.text.split('\n').length;
  }
  getText(range?: Range): string {
    return range === undefined ? this.text : this.text.slice(this.offsetAt(range.start), this.offsetAt(range.end));
  }
  lineAt(line: number): { text: string } {
    return { text: this.text.split('\n')[line] ?? '' };
  }
  offsetAt(at: Position): number {
    const lines = this.text.split('\n').slice(0, at.line);
    return lines.reduce((sum, line) => sum + line.length + 1, 0) + at.character;
  }
  positionAt(offset: number): Position {
    const before = this.text.slice(0, offset).split('\n');
    return new Position(before.length - 1, (before.at(-1) ?? '').length);
  }
  /** The place right behind a piece of the text. */
  behind(piece: string): Position {
    const at = this.text.indexOf(piece);
    if (at < 0) {
      throw new Error(`no ${piece} in the text`);
    }
    return this.positionAt(at + piece.length);
  }
  /** Applies edits that are all about the present text; what an event of it says. */
  edit(edits: TextEdit[]): { range: Range; rangeOffset: number; rangeLength: number; text: string }[] {
    const changes = edits
      .map(({ range, newText }) => {
        const [rangeOffset, end] = [this.offsetAt(range.start), this.offsetAt(range.end)];
        return { range, rangeOffset, rangeLength: end - rangeOffset, text: newText };
      })
      .sort((a, b) => b.rangeOffset - a.rangeOffset);
    for (const { rangeOffset, rangeLength, text } of changes) {
      this.text = this.text.slice(0, rangeOffset) + text + this.text.slice(rangeOffset + rangeLength);
    }
    this.version += 1;
    this.isDirty = true;
    return changes;
  }
  async save(): Promise<boolean> {
    const { writeFile } = await import('node:fs/promises');
    await writeFile(this.uri.fsPath, this.text);
    this.isDirty = false;
    return true;
  }
}

// The code of a diagnostic that is meant by a place in a text.

import type { Place } from './verdicts';

interface Found {
  range: { start: Place; end: Place };
  code?: string | number | { value: string | number } | undefined;
}

const CODE = /\bR\d{4}\b/;

function before(a: Place, b: Place): boolean {
  return a.line < b.line || (a.line === b.line && a.character <= b.character);
}

function codeOf(found: Found): string | undefined {
  const code = typeof found.code === 'object' ? found.code.value : found.code;
  return CODE.exec(String(code ?? ''))?.[0];
}

/** The code of the mistake under the cursor, of a code that is written there, or of the first mistake on the line. */
export function codeAt(diagnostics: readonly Found[], line: string, cursor: Place): string | undefined {
  const under = diagnostics.find((d) => before(d.range.start, cursor) && before(cursor, d.range.end) && codeOf(d));
  if (under !== undefined) {
    return codeOf(under);
  }
  for (const match of line.matchAll(new RegExp(CODE, 'g'))) {
    if (match.index <= cursor.character && cursor.character <= match.index + match[0].length) {
      return match[0];
    }
  }
  const onLine = diagnostics.find((d) => d.range.start.line <= cursor.line && cursor.line <= d.range.end.line && codeOf(d));
  return onLine && codeOf(onLine);
}

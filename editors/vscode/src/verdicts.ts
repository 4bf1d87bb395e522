// What is proved and tested in a file, as a list: from the lenses of the server and the mistakes that it has shown.

/** A place: line and column, both from 0. */
export interface Place {
  line: number;
  character: number;
}

export interface Lens {
  range: { start: Place };
  command?: { title: string } | undefined;
}

export interface Mistake {
  range: { start: Place };
  message: string;
  code?: string | undefined;
}

/** A requirement or a test with what came of it. */
export interface Verdict {
  /** `✓ proved`, `✗ does not always hold`, … */
  title: string;
  /** The first line of the requirement or test. */
  line: string;
  /** The counterexample, where there is one. */
  detail: string;
  place: Place;
}

/** The list, in the order of the file. */
export function verdicts(lines: string[], lenses: Lens[], mistakes: Mistake[]): Verdict[] {
  const sorted = lenses
    .filter((lens) => lens.command !== undefined)
    .sort((a, b) => a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character);
  return sorted.map((lens, n) => {
    const place = lens.range.start;
    const next = sorted[n + 1]?.range.start.line ?? lines.length;
    // Mistakes of a requirement stand on it, before the next.
    const own = mistakes.filter(({ range: { start } }) => start.line >= place.line && start.line < Math.max(next, place.line + 1));
    return {
      title: lens.command?.title ?? '',
      line: (lines[place.line] ?? '').slice(place.character).trim(),
      detail: own.map((mistake) => mistake.message).join(' '),
      place,
    };
  });
}

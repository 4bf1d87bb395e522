// The graph of a program as a page: drawn by `rubric graph`, shown without any script.

import { run } from './program';

/** What `rubric graph` made of a text. */
export type Drawing = { kind: 'svg'; svg: string } | { kind: 'text'; text: string } | { kind: 'fault'; text: string };

/** Formats by preference; an older `rubric` does not know the first. */
const FORMATS = ['svg', 'text'] as const;

/**
 * Draws a text. `cwd` is the folder of its file, from which its libraries are looked up.
 */
export async function draw(program: string, text: string, cwd: string): Promise<Drawing> {
  let fault = '';
  for (const format of FORMATS) {
    const outcome = await run(program, ['graph', '-', '--format', format], { cwd, input: text });
    if (outcome.code === 0) {
      return format === 'svg' ? { kind: 'svg', svg: outcome.stdout } : { kind: 'text', text: outcome.stdout };
    }
    fault = outcome.stderr || outcome.stdout || `rubric graph ended with code ${outcome.code}`;
    if (!/invalid value|--format/.test(outcome.stderr)) {
      break;
    }
  }
  return { kind: 'fault', text: fault };
}

/** Text that is safe between tags and in attributes. */
export function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}

/**
 * The page of a drawing. A drawing in light and dark follows the editor's theme. Nothing in it is run or fetched: no script is allowed, and the drawing is an image, so that nothing that
 * stands in it could be run either. `nonce` marks the one style sheet.
 */
export function page(title: string, drawing: Drawing, nonce: string): string {
  const policy = `default-src 'none'; img-src data:; style-src 'nonce-${nonce}'`;
  const body =
    drawing.kind === 'svg'
      ? `<img alt="${escaped(`The graph of ${title}`)}" src="data:image/svg+xml;base64,${Buffer.from(drawing.svg, 'utf8').toString('base64')}">`
      : `<pre${drawing.kind === 'fault' ? ' class="fault" role="alert"' : ''}>${escaped(drawing.text)}</pre>`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style nonce="${nonce}">
body { padding: 1em; }
img { color-scheme: light; }
.vscode-dark img, .vscode-high-contrast:not(.vscode-high-contrast-light) img { color-scheme: dark; }
pre { font-family: var(--vscode-editor-font-family, monospace); white-space: pre; overflow: auto; }
.fault { white-space: pre-wrap; color: var(--vscode-errorForeground); }
</style>
</head>
<body>
${body}
</body>
</html>
`;
}

// The program `rubric`: where the settings say it is, whether it can be started, and running it once.

import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';

/** What a run of the program left behind. */
export interface Outcome {
  /** The exit code; -1 where it was ended. */
  code: number;
  stdout: string;
  stderr: string;
}

/** Longest time that a run may take (milliseconds). */
const PATIENCE = 60_000;

/** Most that is kept of what it prints (characters). */
const MOST_OUTPUT = 20_000_000;

/** The path of a setting: `~` and `${workspaceFolder}` replaced. */
export function expanded(setting: string, workspaceFolder: string | undefined): string {
  let path = setting.trim() || 'rubric';
  if (path === '~' || path.startsWith('~/') || path.startsWith('~\\')) {
    path = join(homedir(), path.slice(1));
  }
  return path.split('${workspaceFolder}').join(workspaceFolder ?? '.');
}

/** Whether a path is a file that may be started. */
function startable(path: string): boolean {
  try {
    if (!statSync(path).isFile()) {
      return false;
    }
    accessSync(path, process.platform === 'win32' ? constants.F_OK : constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Where a program is: itself if it is a path, else the first on the PATH; `undefined` where there is none. */
export function located(program: string, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const endings = process.platform === 'win32' ? ['', '.exe'] : [''];
  const candidates =
    isAbsolute(program) || program.includes('/') || program.includes('\\')
      ? [program]
      : (environment['PATH'] ?? '').split(delimiter).filter(Boolean).map((folder) => join(folder, program));
  for (const candidate of candidates) {
    const found = endings.map((ending) => candidate + ending).find(startable);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

/** Runs the program. Never fails: what went wrong is told in `stderr`. */
export function run(program: string, args: string[], options: { cwd?: string; input?: string } = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const outcome: Outcome = { code: -1, stdout: '', stderr: '' };
    const child = spawn(program, args, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: { ...process.env, NO_COLOR: '1' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const timer = setTimeout(() => child.kill(), PATIENCE);
    const keep = (stream: 'stdout' | 'stderr') => (chunk: string) => {
      if (outcome[stream].length < MOST_OUTPUT) {
        outcome[stream] += chunk;
      }
    };
    child.stdout.setEncoding('utf8').on('data', keep('stdout'));
    child.stderr.setEncoding('utf8').on('data', keep('stderr'));
    child.on('error', (error) => {
      clearTimeout(timer);
      outcome.stderr += error.message;
      resolve(outcome);
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      outcome.code = code ?? -1;
      resolve(outcome);
    });
    // A program that does not read what it is sent ends the pipe, which is no fault of its own.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
  });
}

// Bundles the extension into one file; with `--tests` also each test, with the editor's module replaced by the tests' own.
import { build } from 'esbuild';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const common = { bundle: true, platform: 'node', format: 'cjs', target: 'node20', logLevel: 'warning' };
rmSync('out', { recursive: true, force: true });
mkdirSync('out');
const { metafile } = await build({
  ...common,
  entryPoints: ['src/extension.ts'],
  outfile: 'out/extension.js',
  external: ['vscode'],
  minify: true,
  metafile: true,
});

// The licences of what is in the bundle go with it.
const packages = new Set();
for (const path of Object.keys(metafile.inputs)) {
  const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path);
  if (found) {
    packages.add(found[1]);
  }
}
const notices = [...packages].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  return `${name} ${version} (${license})\n\n${file ? readFileSync(`${folder}/${file}`, 'utf8').trim() : ''}\n`;
});
writeFileSync('out/NOTICES.txt', notices.join('\n----\n\n'));

if (process.argv.includes('--tests')) {
  const tests = readdirSync('test').filter((name) => name.endsWith('.test.ts'));
  await build({
    ...common,
    entryPoints: tests.map((name) => `test/${name}`),
    outdir: 'out/test',
    alias: { vscode: './test/fake/vscode.ts' },
    // It loads its own WebAssembly beside it.
    external: ['vscode-oniguruma', 'vscode-textmate'],
    sourcemap: 'inline',
  });
}

// Bundles the extension and packs it: `rubric-VERSION.vsix` in this folder, which `code --install-extension` takes.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
const file = `${name}-${version}.vsix`;
// Everything is in the bundle, so that no dependency is packed.
execFileSync(process.execPath, ['node_modules/@vscode/vsce/vsce', 'package', '--no-dependencies', '--out', file], {
  stdio: 'inherit',
});
console.log(file);

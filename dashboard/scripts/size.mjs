// Prints what a first visit loads, and fails beyond the budget: 200 kB of JavaScript, gzipped, before any route's own.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const app = new URL('../dist/app', import.meta.url).pathname;
const page = readFileSync(join(app, 'index.html'), 'utf8');
const kB = (path) => gzipSync(readFileSync(join(app, path)), { level: 9 }).length / 1000;
const sum = (paths) => paths.reduce((total, path) => total + kB(path), 0);
const first = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path]) => path);
const styles = [...page.matchAll(/href="(\/assets\/[^"]+\.css)"/g)].map(([, path]) => path);
const all = readdirSync(join(app, 'assets'))
  .filter((name) => name.endsWith('.js'))
  .map((name) => `/assets/${name}`);
const budget = 200;
const shell = sum(first);
console.log(
  `first load: ${shell.toFixed(1)} kB of JavaScript (budget ${budget}), ${sum(styles).toFixed(1)} kB of styles`,
);
for (const path of all
  .filter((path) => !first.includes(path))
  .sort((a, b) => kB(b) - kB(a))
  .slice(0, 6))
  console.log(`  later: ${kB(path).toFixed(1)} kB ${path.replace('/assets/', '')}`);
if (shell > budget) {
  console.error(`the first load is ${(shell - budget).toFixed(1)} kB over its budget`);
  process.exit(1);
}

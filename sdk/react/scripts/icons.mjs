// Writes the ionicons as modules of inline SVG, in shards that the icon layer imports one at a time.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** About 21 icons and 3 kB gzip a shard: a screen rarely shows more than a few icons. */
const SHARDS = 32;
/** Side of the view box that all icons share. */
const SIDE = 512;

// The dashboard, which draws with these sources, has the package among its own: who runs this says which by the directory.
const require = createRequire(join(process.cwd(), 'package.json'));
const source = join(dirname(require.resolve('ionicons/dist/ionicons.json')), 'svg');
const target = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'icons', 'shards');

/** Must stay the same as `shardOf` in src/icons/read-shard.ts; its test reads every icon through it. */
function shardOf(name) {
  let hash = 0;
  for (const char of name) hash = (hash * 31 + char.charCodeAt(0)) % 9973;
  return hash % SHARDS;
}

const shards = Array.from({ length: SHARDS }, () => ({}));
for (const file of readdirSync(source).sort()) {
  if (!file.endsWith('.svg')) continue;
  const name = file.slice(0, -'.svg'.length);
  const svg = readFileSync(join(source, file), 'utf8').trim();
  const [, frame, inner] = /^<svg\b([^>]*)>(.*)<\/svg>$/s.exec(svg) ?? [];
  const side = Number(/viewBox="0 0 (\d+) \1"/.exec(frame ?? '')?.[1]);
  if (!side) throw new Error(`${file} has no square view box`);
  // The layer draws every icon in one frame, so what a file says on its own frame moves into a group.
  const group = [
    /fill="none"/.test(frame) ? ' fill="none"' : '',
    side === SIDE ? '' : ` transform="scale(${SIDE / side})"`,
  ].join('');
  shards[shardOf(name)][name] = group ? `<g${group}>${inner}</g>` : inner;
}

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const header = '// Written by scripts/icons.mjs from the ionicons package (MIT license). Do not edit.\n';
const number = (index) => String(index).padStart(2, '0');
shards.forEach((icons, index) => {
  const body = `${header}const icons: Record<string, string> = ${JSON.stringify(icons, null, 1)};\nexport default icons;\n`;
  writeFileSync(join(target, `icons-${number(index)}.gen.ts`), body);
});
const loaders = shards.map((_, index) => `  () => import('./icons-${number(index)}.gen'),`).join('\n');
writeFileSync(
  join(target, 'index.gen.ts'),
  `${header}export const SHARD_LOADERS: readonly (() => Promise<{ default: Record<string, string> }>)[] = [\n${loaders}\n];\n`,
);

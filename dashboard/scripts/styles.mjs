// Refuses physical directions in style sheets: what is at the left for one reader is at the right for another.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const home = fileURLToPath(new URL('..', import.meta.url));
const side = '(left|right)';
const physical = [
  new RegExp(`(^|[\\s;{])(margin|padding|border|scroll-margin|scroll-padding)-${side}\\b[\\w-]*\\s*:`),
  new RegExp(`(^|[\\s;{])${side}\\s*:`),
  new RegExp(`border-(top|bottom)-${side}-radius`),
  new RegExp(`(text-align|float|clear|caption-side)\\s*:\\s*${side}\\b`),
  // Four values go clockwise: the second is the right side, the fourth the left one.
  /(^|[\s;{])(margin|padding|inset|border-width)\s*:\s*(?:(?:calc\([^;]*?\)|var\([^)]*\)|[^\s;()]+)\s+){3}[^\s;]+/,
];

/** The places of a style sheet that name a side, as line and text. */
export function sidesOf(source) {
  const text = source.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '));
  return text
    .split('\n')
    .flatMap((line, i) => (physical.some((rule) => rule.test(line)) ? [[i + 1, line.trim()]] : []));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = [];
  for (const entry of readdirSync(join(home, 'src'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.css')) continue;
    const path = join(entry.parentPath, entry.name);
    for (const [line, text] of sidesOf(readFileSync(path, 'utf8')))
      found.push(`${relative(home, path)}:${line}: ${text}`);
  }
  if (found.length > 0) {
    console.error(`These name a side; say inline-start or inline-end:\n${found.join('\n')}`);
    process.exit(1);
  }
}

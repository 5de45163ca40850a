// Bundles the built packages the way an app does and compares what a page loads at first with the limits. React and
// what is loaded only when it is needed do not count; the latter is listed.

import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const LIMITS = [
  {
    name: 'core + web runtime (provider, useFlow, events)',
    code: "export { SvcProvider, useFlow, logEvent, setAnalyticsConsent } from '@svc/react';",
    kilobytes: 25,
  },
  { name: 'SvcProvider + Flow with core', code: "export { SvcProvider, Flow } from '@svc/react';", kilobytes: 58 },
];

/** Names of the chunks that are loaded with the entry, lazy ones left out. */
function initialChunks(chunks) {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const found = new Set();
  const visit = (name) => {
    const chunk = byName.get(name);
    if (!chunk || found.has(chunk)) return;
    found.add(chunk);
    for (const next of chunk.imports) visit(next);
  };
  visit(chunks.find((chunk) => chunk.isEntry).fileName);
  return [...found];
}

async function measure(code) {
  const id = 'virtual:entry';
  const [bundle] = [
    await build({
      configFile: false,
      logLevel: 'error',
      root: fileURLToPath(new URL('..', import.meta.url)),
      plugins: [
        {
          name: 'entry',
          enforce: 'pre',
          resolveId: (source) => (source === id ? source : undefined),
          load: (source) => (source === id ? code : undefined),
        },
      ],
      build: {
        write: false,
        target: 'es2022',
        minify: true,
        rolldownOptions: {
          input: id,
          external: [/^react($|\/)/, /^react-dom($|\/)/],
          // An app's entry may export to its parts what they share with it; Vite's default for pages.
          preserveEntrySignatures: 'allow-extension',
        },
        modulePreload: false,
      },
    }),
  ].flat();
  const chunks = bundle.output.filter((output) => output.type === 'chunk');
  const initial = initialChunks(chunks);
  return { bytes: total(initial), later: chunks.filter((chunk) => !initial.includes(chunk)) };
}

function total(chunks) {
  return chunks.reduce((sum, chunk) => sum + gzipSync(chunk.code, { level: 9 }).length, 0);
}

/** What is loaded later, by name; the shards of the icons count as one. */
function listLater(chunks) {
  const byName = new Map();
  for (const chunk of chunks) byName.set(nameOf(chunk), [...(byName.get(nameOf(chunk)) ?? []), chunk]);
  return [...byName].map(([name, group]) => `${name} ${kilobytesOf(total(group))}`).sort();
}

const nameOf = (chunk) => (/icons-\d+/.test(chunk.name) ? 'icons (32 shards)' : chunk.name.replace(/-[\w-]{8}$/, ''));

const kilobytesOf = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

let failed = false;
for (const { name, code, kilobytes } of LIMITS) {
  const { bytes, later } = await measure(code);
  const over = bytes > kilobytes * 1000;
  failed ||= over;
  console.log(`${kilobytesOf(bytes)} of ${kilobytes} kB  ${name}${over ? '  TOO LARGE' : ''}`);
  for (const line of listLater(later)) console.log(`  loaded when needed: ${line}`);
}
process.exit(failed ? 1 : 0);

// Bundles the built packages the way an app does and compares what a page loads at first with the limits.

import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const LIMITS = [
  {
    name: 'core + web runtime (provider, useFlow, events)',
    code: "export { SvcProvider, useFlow, logEvent, setAnalyticsConsent } from '@svc/react';",
    kilobytes: 27,
  },
  { name: 'SvcProvider + Flow with core', code: "export { SvcProvider, Flow } from '@svc/react';", kilobytes: 61 },
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
          preserveEntrySignatures: 'strict',
        },
        modulePreload: false,
      },
    }),
  ].flat();
  const chunks = bundle.output.filter((output) => output.type === 'chunk');
  return initialChunks(chunks).reduce((sum, chunk) => sum + gzipSync(chunk.code, { level: 9 }).length, 0);
}

let failed = false;
for (const { name, code, kilobytes } of LIMITS) {
  const bytes = await measure(code);
  const over = bytes > kilobytes * 1000;
  failed ||= over;
  console.log(`${(bytes / 1000).toFixed(1)} kB of ${kilobytes} kB  ${name}${over ? '  TOO LARGE' : ''}`);
}
process.exit(failed ? 1 : 0);

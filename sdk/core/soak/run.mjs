// Bundles the soak and runs it: `npm run soak -- --minutes 180 --pages 8 --seed 1`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    pages: { type: 'string', default: '8' },
    seed: { type: 'string', default: '1' },
  },
});
const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'svc-soak-'));
try {
  const file = join(folder, 'soak.mjs');
  const bundle = await rolldown({ input: join(here, 'soak.ts'), platform: 'node' });
  await bundle.write({ file, format: 'esm' });
  const { soak } = await import(pathToFileURL(file).href);
  const { minutes, pages, seed } = values;
  const ok = await soak({ minutes: Number(minutes), pages: Number(pages), seed: Number(seed) });
  process.exitCode = ok ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

// Lays a brotli and a gzip form beside every text file of the build: the server sends them as they are.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const assets = new URL('../dist/app/assets', import.meta.url).pathname;
for (const name of readdirSync(assets)) {
  if (!/\.(js|css|svg|json)$/.test(name)) continue;
  const content = readFileSync(join(assets, name));
  if (content.length < 1024) continue;
  writeFileSync(join(assets, `${name}.gz`), gzipSync(content, { level: 9 }));
  const quality = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  writeFileSync(join(assets, `${name}.br`), brotliCompressSync(content, { params: quality }));
}

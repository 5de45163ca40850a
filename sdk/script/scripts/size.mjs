// Holds svc.js to its weight.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const LIMIT = 6_000;

const bytes = gzipSync(readFileSync(new URL('../dist/svc.js', import.meta.url)), { level: 9 }).length;
console.log(`svc.js: ${bytes} bytes gzip of ${LIMIT}`);
if (bytes > LIMIT) process.exit(1);

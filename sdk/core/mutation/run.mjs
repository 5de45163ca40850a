// Runs the tests once for each mutant and says which of them nobody noticed: `npm run mutation`. The sources are not
// touched: the fault is put in while they are loaded.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MUTANTS } from './mutants.mjs';

const config = fileURLToPath(new URL('./vitest.config.mjs', import.meta.url));
const run = (mutant) =>
  spawnSync('npx', ['vitest', 'run', '--bail', '1', '--config', config], {
    env: { ...process.env, MUTANT: String(mutant) },
    encoding: 'utf8',
    timeout: 300_000,
  });

// A mutant that the sources have left behind is found now, not after half an hour.
for (const [file, before] of MUTANTS) {
  const source = readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8');
  if (source.split(before).length !== 2) throw new Error(`${file} has not one "${before}"`);
}
const whole = run(-1);
if (whole.status !== 0) {
  console.error(whole.stdout, whole.stderr);
  process.exit(1);
}
const survivors = [];
MUTANTS.forEach(([file, before], number) => {
  const killed = run(number).status !== 0;
  if (!killed) survivors.push(number);
  console.log(`${killed ? 'killed  ' : 'SURVIVED'} ${number} ${file}: ${before.split('\n')[0]}`);
});
console.log(`${MUTANTS.length - survivors.length} of ${MUTANTS.length} mutants killed`);
process.exitCode = survivors.length > 0 ? 1 : 0;

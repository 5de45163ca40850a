// Runs the tests once for each mutant and says which of them nobody noticed: `npm run mutation`. The sources are not
// touched: the fault is put in while they are loaded.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MUTANTS } from './mutants.mjs';

const config = fileURLToPath(new URL('./vitest.config.mjs', import.meta.url));

/** Exit code of the tests; null when they did not end. A fault may have them loop, which only a kill of all ends. */
function run(mutant) {
  const options = { detached: true, stdio: 'ignore', env: { ...process.env, MUTANT: String(mutant) } };
  const child = spawn('npx', ['vitest', 'run', '--bail', '1', '--config', config], options);
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), 300_000);
  return new Promise((resolve) =>
    child.on('exit', (code) => {
      clearTimeout(timer);
      resolve(code);
    }),
  );
}

// A mutant that the sources have left behind is found now, not after half an hour.
for (const [file, before] of MUTANTS) {
  const source = readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8');
  if (source.split(before).length !== 2) throw new Error(`${file} has not one "${before}"`);
}
if ((await run(-1)) !== 0) throw new Error('the tests fail without any mutant: npx vitest run --project core');
const survivors = [];
for (const [number, [file, before]] of MUTANTS.entries()) {
  const code = await run(number);
  if (code === 0) survivors.push(number);
  const verdict = code === 0 ? 'SURVIVED' : code === null ? 'endless ' : 'killed  ';
  console.log(`${verdict} ${number} ${file}: ${before.split('\n')[0]}`);
}
console.log(`${MUTANTS.length - survivors.length} of ${MUTANTS.length} mutants killed`);
process.exitCode = survivors.length > 0 ? 1 : 0;

// Prints what the dashboard weighs and how fast it is, beside the budgets of its specification:
//
//   node scripts/bench.mjs [--server <link>] [--scope <search>] [--only editor]
//
// Without a link it runs ../bin/svc with demo data of its own. With the link that `svc dev` printed it measures that
// server, with as much data as it has; a scope such as 'range=28d' says over which of it. Every time is the median of five; the first paint is that of a new browser.
// The references were measured when the libraries were chosen, in the same way: a trial of the same libraries without
// the product, signed out for its first paint, and GraphiQL 5.4 with all of its chunks.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureEditor } from './bench-editor.mjs';
import { isBeyond, median, open, report, timed } from './bench-tools.mjs';
import { budgets, weigh } from './weigh.mjs';

const runs = 5;
function printWeights() {
  const { first, styles, chunks, later, editor } = weigh(new URL('../dist/app', import.meta.url).pathname);
  report('JavaScript of the first load, gzip', first, 'kB', budgets.first, 'trial 149');
  report('Styles of the first load, gzip', styles, 'kB', undefined, 'trial 36');
  report('Chunks of JavaScript', chunks, '');
  report(`Largest later chunk (${later[0].name}), gzip`, later[0].kB, 'kB', 450, 'GraphiQL 1324');
  report('Editor beside the renderer, all of its parts, gzip', editor.whole, 'kB', budgets.editor);
  report('  its first page alone', editor.page, 'kB');
}

/** Runs the binary with demo data until the measurement is over. */
async function demo() {
  const binary = new URL('../../bin/svc', import.meta.url).pathname;
  if (!existsSync(binary)) throw new Error('bin/svc is missing: make build, or give the link of a running server');
  const dir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const child = spawn(binary, ['dev', '--demo=small', '--addr', '127.0.0.1:4791', '--data-dir', dir]);
  let printed = '';
  for (const output of [child.stdout, child.stderr]) output.on('data', (text) => (printed += text));
  while (!/\(signed in\)/.test(printed)) {
    if (child.exitCode !== null) throw new Error(printed);
    await new Promise((later) => setTimeout(later, 100));
  }
  return {
    link: /dashboard\s+(\S+)/.exec(printed)[1],
    async stop() {
      const gone = new Promise((done) => child.once('exit', done));
      child.kill('SIGINT');
      await gone;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function measure(link, scope) {
  const first = await open();
  const context = await first.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(link);
  await page.waitForURL(/\/live\/home/);
  const state = await context.storageState();
  const of = (name, more = '') =>
    page.url().replace(/\/live\/.*/, `/live/${name}?${[scope, more].filter(Boolean).join('&')}`);
  const home = of('home');
  if (only === 'editor') {
    await first.close();
    return measureEditor(state, home);
  }
  const paints = [];
  const figures = [];
  for (let i = 0; i < runs; i++) {
    const browser = await open();
    const cold = await (
      await browser.newContext({ storageState: state, viewport: { width: 1440, height: 900 } })
    ).newPage();
    await cold.addInitScript(() => {
      const look = () => {
        if (document.querySelector('main [aria-pressed] b')) window.figuresAt = performance.now();
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    await cold.goto(home);
    await cold.waitForFunction(
      () => window.figuresAt && performance.getEntriesByName('first-contentful-paint').length > 0,
    );
    figures.push(await cold.evaluate(() => window.figuresAt));
    paints.push(await cold.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime));
    await browser.close();
  }
  report('First paint of Home, new browser', median(paints), 'ms', 1000, 'trial 376 to 528');
  report('Figures of Home, new browser', median(figures), 'ms', 1000);

  const go = (name) =>
    `document.evaluate("//nav[@aria-label='Pages']//a[normalize-space()='${name}']", document, null, 9).singleNodeValue.click()`;
  const there = (name) => `document.querySelector('h1')?.textContent.trim() === '${name}'`;
  const ways = [];
  for (const name of ['Acquisition', 'Events', 'Flows', 'Home']) {
    for (let i = 0; i <= runs; i++) {
      const took = await timed(page, go(name), there(name));
      if (i > 0) ways.push(took); // the first loads the code
      await timed(page, go('Places'), there('Places'));
    }
  }
  report('Route change, its code being there', median(ways), 'ms', 100, 'trial 64 to 209');

  /** Opens the report whose rows are clicked, and waits until all of it is there. */
  const table = async (more) => {
    await page.goto(of('acquisition', more));
    await page.waitForFunction(() => document.querySelectorAll('tbody th[scope=row] button').length > 2);
    await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'));
  };
  const filters = [];
  for (let i = 0; i < runs; i++) {
    await table('');
    filters.push(
      await timed(
        page,
        `document.querySelectorAll('tbody th[scope=row] button')[${i % 3}].click()`,
        `location.search.includes('f=') && !document.querySelector('[data-stale]') && !document.querySelector('[aria-busy=true]')`,
      ),
    );
  }
  report('Filter click to painted table', median(filters), 'ms', 150);

  const compared = [];
  for (let i = 0; i < runs; i++) {
    await table('compare=none');
    compared.push(
      await timed(
        page,
        `dispatchEvent(new KeyboardEvent('keydown', { key: 'x' }))`,
        `[...document.querySelectorAll('thead th')].some((head) => head.textContent.trim() === 'Before') &&
          !document.querySelector('[aria-busy=true]')`,
      ),
    );
  }
  report('Comparison switched on to painted table', median(compared), 'ms', 150);
  await first.close();
  await measureEditor(state, home);
}

const {
  server: given,
  scope = '',
  only,
} = parseArgs({
  options: { server: { type: 'string' }, scope: { type: 'string' }, only: { type: 'string' } },
}).values;
printWeights();
const server = given ? { link: given, stop: async () => {} } : await demo();
try {
  await measure(server.link, scope);
} finally {
  await server.stop();
}
if (isBeyond()) process.exitCode = 1;

// Prints what svc.js weighs and how long it keeps the main thread of a slow phone while a page loads, beside scripts of
// others on the same page:
//
//   node scripts/bench-script.mjs [--peer umami=<address or file>]...
//
// Counted is the processor's time of all of the script that runs on the main thread: compiling and running it, what it
// left for later, and sending the page view, of which each script must send at least one, or it is no comparison. It is told
// apart by the end of the load event: what a script does before that holds the page up, what it does in the two seconds after
// runs while nothing else has to. Not counted is what a browser does off that thread (it compiles while it loads), and
// promises' reactions, of which a trace does not say whose they are.
//
// A phone is taken to be four times slower, and the time of the processor multiplied by that: the browser's own throttle
// spins while others have the processor, which makes its times those of the machine. Scripts like Plausible's do nothing on
// localhost or for an automated browser, so the page has a name of its own and the browser does not say that it is one.
// Without --peer the scripts of Plausible and Umami are taken from where they offer them; what can't be reached is left
// out. A file of Plausible's may be its npm package, bundled with a call of init. Times are medians of seven loads, each of a
// new browser profile, the scripts in turns.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { isBeyond, median, open, report } from './bench-tools.mjs';

const loads = 7;
const host = 'shop.example';
const slower = 4;
const budget = { bytes: 6_000, milliseconds: 5 };
const peers = {
  plausible: 'https://plausible.io/js/script.outbound-links.file-downloads.js',
  umami: 'https://cloud.umami.is/script.js',
};
const attributes = {
  'svc.js': 'data-key="ob_pk_live_0000000000000000"',
  plausible: 'data-domain="shop.example"',
  umami: 'data-website-id="5f1a3b52-7d1e-4a3a-9a39-5d3f2c1b0a99"',
};

/** The text of a script by its address or file; undefined where it can't be had. */
async function textOf(from) {
  if (!from.startsWith('https:')) return readFileSync(from, 'utf8');
  try {
    const answer = await fetch(from, { signal: AbortSignal.timeout(10_000) });
    return answer.ok ? await answer.text() : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A page of some length that has a script, which is another file: its work is told from the page's by its address.
 * What is sent is counted by the page that sent it.
 */
async function serve(scripts, sent) {
  const rows = '<p>Some text that takes room, with <a href="/more">a link</a>.</p>'.repeat(200);
  const server = createServer((request, response) => {
    const name = decodeURIComponent(request.url.slice(1));
    if (name.endsWith('/page')) {
      const of = name.slice(0, -'/page'.length);
      response.setHeader('Content-Type', 'text/html');
      response.end(
        `<!doctype html><title>Page</title><script defer src="/${of}" ${attributes[of] ?? ''}></script>${rows}`,
      );
    } else if (scripts[name]) {
      response.setHeader('Content-Type', 'text/javascript');
      response.end(scripts[name]);
    } else {
      const from = decodeURIComponent(new URL(request.headers.referer ?? 'http://none').pathname.split('/')[1]);
      if (request.method === 'POST') sent[from] = (sent[from] ?? 0) + 1;
      response.setHeader('Content-Type', 'application/json');
      response.end('{"accepted":true,"stored":1,"duplicates":0,"rejected":[]}');
    }
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return server;
}

const work = new Set(['EvaluateScript', 'FunctionCall', 'v8.compile']);

/**
 * Milliseconds of the processor that a script took on the main thread by what the browser traced, until the page had
 * loaded and after: of what ran within something else, the outer one. What else runs on the machine keeps the thread
 * waiting, which is not counted.
 */
function timesOf(trace, address) {
  const own = trace
    .filter(({ name, ph, args }) => work.has(name) && ph === 'X' && args?.data?.url === address)
    .sort((a, b) => a.ts - b.ts);
  if (own.length === 0) throw new Error(`${address} was never run`);
  // Of the page's own thread: the browser loads pages of its own besides.
  const marks = trace.filter(({ name, tid, pid }) => name === 'MarkLoad' && tid === own[0].tid && pid === own[0].pid);
  const loaded = Math.max(...marks.map(({ ts }) => ts));
  let until = 0;
  const times = { loading: 0, after: 0 };
  for (const { ts, dur, tdur } of own) {
    if (ts >= until) times[ts < loaded ? 'loading' : 'after'] += (tdur / 1000) * slower;
    until = Math.max(until, ts + dur);
  }
  return times;
}

async function load(port, name) {
  const browser = await open(
    `--host-resolver-rules=MAP ${host} 127.0.0.1`,
    '--disable-blink-features=AutomationControlled',
  );
  const origin = `http://${host}:${port}`;
  const page = await browser.newPage();
  await browser.startTracing(page, { categories: ['devtools.timeline', 'v8', 'disabled-by-default-v8.compile'] });
  await page.goto(`${origin}/${name}/page`, { waitUntil: 'load' });
  await page.waitForTimeout(2000);
  const { traceEvents } = JSON.parse(await browser.stopTracing());
  await browser.close();
  return timesOf(traceEvents, `${origin}/${name}`);
}

const { values } = parseArgs({ options: { peer: { type: 'string', multiple: true, default: [] } } });
for (const given of values.peer) {
  const [name, from] = given.split(/=(.*)/);
  peers[name] = from;
}
const scripts = { 'svc.js': readFileSync(new URL('../../sdk/script/dist/svc.js', import.meta.url), 'utf8') };
for (const [name, from] of Object.entries(peers)) {
  const text = await textOf(from);
  if (text === undefined) console.log(`${name}: ${from} can't be reached, left out`);
  else scripts[name] = text;
}
const sent = {};
const server = await serve(scripts, sent);
try {
  const times = Object.fromEntries(Object.keys(scripts).map((name) => [name, []]));
  for (let i = 0; i < loads; i++)
    for (const name of Object.keys(scripts)) times[name].push(await load(server.address().port, name));
  for (const [name, text] of Object.entries(scripts)) {
    if (!(sent[name] >= loads)) throw new Error(`${name} sent ${sent[name] ?? 0} page views of ${loads} pages`);
    const isOurs = name === 'svc.js';
    report(`${name}, gzip`, gzipSync(text, { level: 9 }).length, 'B', isOurs ? budget.bytes : undefined);
    const taken = (of) => median(times[name].map(of)) * 1000;
    report(
      `  main thread until loaded, ${slower}× slower`,
      taken(({ loading }) => loading),
      'µs',
      isOurs ? budget.milliseconds * 1000 : undefined,
    );
    report(
      '  and in the two seconds after',
      taken(({ after }) => after),
      'µs',
    );
    report(
      '  both',
      taken(({ loading, after }) => loading + after),
      'µs',
    );
  }
} finally {
  server.close();
}
process.exit(isBeyond() ? 1 : 0);

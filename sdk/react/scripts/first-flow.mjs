// Measures the first <Flow> from the cache in Chromium: an app built for production mounts it on a page that has been
// loaded, from the call of React's `render` to the task after the frame that has the flow's headline. No request is
// answered meanwhile. Fails when the page's own processor time is above the limit: a machine that does other things
// makes the rest of the time longer. Needs the built packages:
//
//   npm run build && npm run first-flow -w @svc/react [runs]

import { existsSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { build } from 'vite';

const RUNS = Number(process.argv[2] ?? 25);
/** What people notice (ms). */
const LIMIT_MS = 50;
const ORIGIN = 'http://first-flow.test';
const CHANNEL = 'ch_test_main';
const BROWSERS = [process.env.CHROME_BIN, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLOWS = { 'paywall-flow': 'manifest/examples/paywall-flow', onboarding: 'cmd/svc/demo/flows/onboarding' };

const APP = `
import { createElement as h } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { Flow, SvcProvider } from '@svc/react';

const config = {
  publishableKey: 'ob_pk_test_first',
  apiBaseUrl: '${ORIGIN}',
  userId: 'ada',
  loading: 'cache-first',
  analytics: { consent: 'granted' },
};
const root = createRoot(document.getElementById('root'));
const App = ({ shows }) => h(SvcProvider, { config }, shows ? h(Flow, { channelId: '${CHANNEL}' }) : null);

/** Milliseconds until the headline is in the page, and until the frame that has it has been drawn. */
const measure = (headline, mount) =>
  new Promise((resolve) => {
    const start = performance.now();
    new MutationObserver((_, observer) => {
      if (!document.body.textContent.includes(headline)) return;
      observer.disconnect();
      const inPage = performance.now() - start;
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve({ inPage, painted: performance.now() - start });
        port2.postMessage(null);
      });
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
    mount();
  });

window.bench = {
  /** Lets the app run without the flow first. */
  async run() {
    flushSync(() => root.render(h(App, { shows: false })));
    await new Promise((resolve) => setTimeout(resolve, 300));
  },
  show: (headline) => measure(headline, () => root.render(h(App, { shows: true }))),
};
`;

/** The app's files by their paths, and the path of the entry. */
async function bundle() {
  const id = 'virtual:app';
  const [result] = [
    await build({
      configFile: false,
      logLevel: 'error',
      root: fileURLToPath(new URL('..', import.meta.url)),
      plugins: [
        {
          name: 'app',
          enforce: 'pre',
          resolveId: (source) => (source === id ? source : undefined),
          load: (source) => (source === id ? APP : undefined),
        },
      ],
      build: { write: false, rolldownOptions: { input: id } },
    }),
  ].flat();
  const chunks = result.output.filter(({ type }) => type === 'chunk');
  const files = new Map(chunks.map(({ fileName, code }) => [`/${fileName}`, code]));
  return { files, entry: `/${chunks.find(({ isEntry }) => isEntry).fileName}` };
}

/** What the service answers, and words of the first screen. */
function flowOf(path) {
  const manifest = JSON.parse(readFileSync(new URL(`../../../${path}.json`, import.meta.url), 'utf8'));
  const first = manifest.screens.find(({ id }) => id === manifest.entryScreenId);
  const [, headline] = /"kind":"text","text":\{"default":"([^"{]+)"/.exec(JSON.stringify(first.regions)) ?? [];
  const flow = {
    kind: 'flow',
    flowId: manifest.flowId,
    versionId: 'b0000000-0000-4000-8000-000000000001',
    versionNumber: 1,
    assignmentVersion: 1,
    environment: 'test',
    channelId: CHANNEL,
    experimentId: null,
    variantId: null,
    manifest,
    mediaMap: {},
  };
  return { flow, headline };
}

const html = (entry) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>App</title>
<style>html,body,#root{margin:0;height:100%}</style></head><body><div id="root"></div>
<script type="module" src="${entry}"></script></body></html>`;

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)].toFixed(1);

const { files, entry } = await bundle();
const executablePath = BROWSERS.find((path) => path && existsSync(path));
if (!executablePath) throw new Error('Chromium is missing: install it or set CHROME_BIN.');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
let slow = false;
try {
  for (const [name, path] of Object.entries(FLOWS)) {
    const { flow, headline } = flowOf(path);
    const page = await browser.newPage({ viewport: { width: 390, height: 800 }, locale: 'en-US' });
    page.on('pageerror', (error) => console.error(error));
    let answers = true;
    await page.route(`${ORIGIN}/**`, (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: html(entry) });
      if (files.has(pathname)) return route.fulfill({ contentType: 'text/javascript', body: files.get(pathname) });
      if (!answers) return undefined;
      if (pathname.endsWith('/resolve')) return route.fulfill({ json: flow, headers: { etag: '"1-b"' } });
      return route.fulfill({ json: { accepted: true, stored: 0, duplicates: 0, rejected: [] } });
    });
    const open = async () => {
      await page.goto(ORIGIN);
      await page.waitForFunction(() => window.bench !== undefined);
    };
    await open();
    await page.evaluate((words) => window.bench.show(words), headline);
    await page.waitForFunction(() => Object.keys(localStorage).some((key) => key.startsWith('svc:resolve:')));
    answers = false;
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const processorMs = async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
    };
    for (const runs of [false, true]) {
      const times = [];
      for (let i = 0; i < RUNS; i += 1) {
        await open();
        if (runs) await page.evaluate(() => window.bench.run());
        const before = await processorMs();
        const time = await page.evaluate((words) => window.bench.show(words), headline);
        times.push({ ...time, processor: (await processorMs()) - before });
      }
      const sorted = (key) => times.map((time) => time[key]).sort((a, b) => a - b);
      const [painted, inPage, processor] = ['painted', 'inPage', 'processor'].map(sorted);
      slow ||= Number(at(processor, 0.95)) > LIMIT_MS;
      console.log(
        `${name}, ${runs ? 'in a running app' : 'with the provider'}: ` +
          `painted after ${at(painted, 0.5)} ms (p95 ${at(painted, 0.95)}), ` +
          `in the page after ${at(inPage, 0.5)} ms (p95 ${at(inPage, 0.95)}), ` +
          `processor ${at(processor, 0.5)} ms (p95 ${at(processor, 0.95)})`,
      );
    }
    await page.close();
  }
} finally {
  await browser.close();
}
console.log(`${RUNS} runs each, load of the machine ${loadavg()[0].toFixed(1)}`);
process.exit(slow ? 1 : 0);

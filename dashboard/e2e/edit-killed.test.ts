import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { browserPath, type Server, serve } from './server';

/** How often the browser is killed: `make test-editing` says 50. */
const rounds = Number(process.env.E2E_BROWSER_KILLS ?? 3);
/** What was painted so long before is kept, in milliseconds. */
const promised = 800;

let server: Server;
let profile: string;
let context: BrowserContext | undefined;
let flow: string;

beforeAll(async () => {
  server = await serve();
  profile = mkdtempSync(join(tmpdir(), 'svc-profile-'));
  type Flows = { app: { flows: { nodes: { id: string; name: string }[] } } };
  const { app } = await server.ask<Flows>(
    'query ($a: ID!) { app(id: $a) { flows(first: 200) { nodes { id name } } } }',
    {
      a: server.apps[0]!.id,
    },
  );
  flow = app.flows.nodes.find(({ name }) => name === 'Reminders')!.id;
});
afterAll(async () => {
  await context?.close();
  await server?.stop();
  rmSync(profile, { recursive: true, force: true });
});

async function openBrowser(): Promise<Page> {
  context = await chromium.launchPersistentContext(profile, {
    executablePath: browserPath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
  });
  return context.pages()[0] ?? context.newPage();
}

/** Ends the processes of the browser at once, those alone that have this test's profile. */
async function killBrowser() {
  const gone = new Promise((done) => context!.once('close', done));
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${id}/cmdline`, 'utf8');
      if (command.includes(`--user-data-dir=${profile}`)) process.kill(Number(id), 'SIGKILL');
    } catch {} // it has ended by itself
  }
  await gone;
  context = undefined;
  // The lock names a process that is no more.
  for (const name of ['SingletonLock', 'SingletonCookie', 'SingletonSocket'])
    rmSync(join(profile, name), { force: true });
}

const saved = (page: Page) => page.getByRole('status').getByText('Saved', { exact: true }).waitFor();

async function openEditor(page: Page) {
  await page.goto(`${server.baseUrl}/apps/${server.apps[0]!.id}/live/flows/${flow}/edit?mode=translate`);
  await saved(page);
  return page.getByRole('textbox', { name: /, German$/ }).first();
}

async function draftText(): Promise<string> {
  const { flow: read } = await server.ask<{ flow: { draft: object } }>('query ($f: ID!) { flow(id: $f) { draft } }', {
    f: flow,
  });
  return JSON.stringify(read.draft);
}

test(`a browser that is killed while somebody types loses nothing that was painted ${promised} ms before, ${rounds} times`, {
  timeout: 60_000 + rounds * 45_000,
}, async () => {
  const first = await openBrowser();
  await first.goto(server.link);
  await first.waitForURL(/\/live\/home/);
  await context!.close(); // the session is on the disk now
  let kept = 0;
  for (let round = 0; round < rounds; round++) {
    const page = await openBrowser();
    const field = await openEditor(page);
    const isOffline = round % 2 === 1;
    if (isOffline) await context!.setOffline(true);
    const start = `Round ${round}: `;
    await field.fill(start);
    const painted: { at: number; text: string }[] = [];
    let text = start;
    const end = Date.now() + 1200 + Math.random() * 1800;
    while (Date.now() < end) {
      const letter = 'abcdefghij'[text.length % 10]!;
      await page.keyboard.insertText(letter);
      text += letter;
      expect(await field.inputValue()).toBe(text);
      painted.push({ at: Date.now(), text });
      await new Promise((later) => setTimeout(later, 30 + Math.random() * 60));
    }
    const killed = Date.now();
    await killBrowser();
    const before = painted.filter(({ at }) => at <= killed - promised).at(-1)?.text ?? '';
    expect(before.length, 'something was painted long enough before').toBeGreaterThan(start.length);

    const again = await openBrowser();
    await openEditor(again);
    await expect.poll(draftText, { timeout: 20_000 }).toContain(before);
    kept += before.length;
    await context!.close();
  }
  console.log(`${rounds} browsers killed, ${kept} characters had to be kept`);
});

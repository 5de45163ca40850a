import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { browserPath, type Server, serve } from './server';

/** How often the browser is killed: `make test-editing` says 50. */
const rounds = Number(process.env.E2E_BROWSER_KILLS ?? 4);
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

async function openEditor(page: Page, mode: 'translate' | 'design') {
  await page.goto(`${server.baseUrl}/apps/${server.apps[0]!.id}/live/flows/${flow}/edit?mode=${mode}`);
  await saved(page);
}

type Draft = { screens: object[]; [member: string]: unknown };
type Read = { draft: Draft; draftRevision: number; problems: { severity: string; message: string }[] };

async function readDraft(): Promise<Read> {
  const query = `query ($f: ID!) { flow(id: $f) { draft draftRevision problems { severity message } } }`;
  return (await server.ask<{ flow: Read }>(query, { f: flow })).flow;
}

/** What is wrong with a draft: errors that keep it from being published, and layers and screens that are there twice. */
async function faults(): Promise<string[]> {
  const { draft, problems } = await readDraft();
  const ids = [...JSON.stringify(draft).matchAll(/"id": ?"((?:lyr|scr)_[^"]*)"/g)].map(([, id]) => id!);
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
  return [...problems.filter(({ severity }) => severity === 'ERROR').map(({ message }) => message), ...twice];
}

/** Gives the flow the draft that it had before a round. */
async function restore(draft: Draft) {
  await server.ask(
    'mutation ($f: ID!, $r: Int!, $d: JSON!) { saveDraft(input: {flowId: $f, revision: $r, draft: $d}) { __typename } }',
    { f: flow, r: (await readDraft()).draftRevision, d: draft },
  );
}

/** What was on the screen, and since when. */
type Painted<T> = { at: number; what: T }[];

/** Somebody who edits until the browser is killed, and what the draft must say after that. */
type Work = {
  mode: 'translate' | 'design';
  /** Edits until a time. Returns how much of it must be kept by what was painted until then, and the check of a draft. */
  edit(
    page: Page,
    round: number,
    until: number,
  ): Promise<(cut: number) => { kept: number; check(draft: string): void }>;
};

const last = <T>(painted: Painted<T>, cut: number) => painted.filter(({ at }) => at <= cut).at(-1)?.what;

/** Types a long text, letter by letter. Whatever is kept of it is a beginning of what was typed. */
const typing: Work = {
  mode: 'translate',
  async edit(page, round, until) {
    const field = page.getByRole('textbox', { name: /, German$/ }).first();
    const start = `Round ${round}: `;
    await field.fill(start);
    const painted: Painted<string> = [];
    let text = start;
    while (Date.now() < until || !last(painted, Date.now() - promised)) {
      const letter = 'abcdefghij'[text.length % 10]!;
      await page.keyboard.insertText(letter);
      text += letter;
      expect(await field.inputValue()).toBe(text);
      painted.push({ at: Date.now(), what: text });
      await new Promise((later) => setTimeout(later, 30 + Math.random() * 60));
    }
    return (cut) => ({
      kept: (last(painted, cut)?.length ?? start.length) - start.length,
      check(draft) {
        const found = [...draft.matchAll(new RegExp(`${start}[a-j]*`, 'g'))].map(([words]) => words);
        expect(found, 'the text is there once').toHaveLength(1);
        expect(text.startsWith(found[0]!), `“${found[0]}” is a beginning of what was typed`).toBe(true);
        expect(found[0]!.length).toBeGreaterThanOrEqual(last(painted, cut)?.length ?? 0);
      },
    });
  },
};

/** Copies a layer again and again and gives each copy a name of its own; every third is taken away again. */
const copying: Work = {
  mode: 'design',
  async edit(page, round, until) {
    const rows = page.getByRole('tree', { name: 'Layers' }).getByRole('treeitem');
    const named = (name: string) => rows.and(page.getByLabel(`${name}, Text`, { exact: true }));
    const original = rows.and(page.getByLabel(/, Text$/)).first();
    const painted: Painted<{ there: string[]; gone: string[] }> = [];
    const there: string[] = [];
    const gone: string[] = [];
    for (let copy = 1; Date.now() < until || !last(painted, Date.now() - promised); copy++) {
      await original.click();
      const before = await rows.count();
      await page.keyboard.press('ControlOrMeta+d');
      await expect.poll(() => rows.count()).toBe(before + 1);
      const name = `Copy ${round}-${copy}.`;
      await rows.and(page.locator('[aria-selected=true]')).dblclick();
      await page.getByRole('tree', { name: 'Layers' }).getByRole('textbox').fill(name);
      await page.keyboard.press('Enter');
      await named(name).waitFor();
      there.push(name);
      painted.push({ at: Date.now(), what: { there: [...there], gone: [...gone] } });
      if (copy % 3 !== 0) continue;
      await named(there[0]!).click();
      await page.keyboard.press('Delete');
      await named(there[0]!).waitFor({ state: 'detached' });
      gone.push(there.shift()!);
      painted.push({ at: Date.now(), what: { there: [...there], gone: [...gone] } });
    }
    return (cut) => {
      const must = last(painted, cut) ?? { there: [], gone: [] };
      return {
        kept: must.there.length + must.gone.length,
        check(draft) {
          const times = (name: string) => draft.split(`"${name}"`).length - 1;
          // What was taken away after the cut may be there or not.
          for (const name of must.there.filter((one) => !gone.includes(one)))
            expect([name, times(name)]).toEqual([name, 1]);
          for (const name of must.gone) expect([name, times(name)]).toEqual([name, 0]);
          for (const name of [...there, ...gone]) expect(times(name), name).toBeLessThanOrEqual(1);
        },
      };
    };
  },
};

test(`a browser that is killed while somebody edits loses nothing that was painted ${promised} ms before, ${rounds} times`, {
  timeout: 60_000 + rounds * 45_000,
}, async () => {
  const first = await openBrowser();
  await first.goto(server.link);
  await first.waitForURL(/\/live\/home/);
  await context!.close(); // the session is on the disk now
  const { draft: original } = await readDraft();
  const wrong = await faults();
  const kept = { translate: 0, design: 0 };
  for (let round = 0; round < rounds; round++) {
    const { mode, edit } = round % 4 < 2 ? typing : copying;
    const page = await openBrowser();
    await openEditor(page, mode);
    const isOffline = round % 2 === 1;
    if (isOffline) await context!.setOffline(true);
    const after = await edit(page, round, Date.now() + 1200 + Math.random() * 1800);
    // Anywhere in the time in which edits are on their way.
    await new Promise((later) => setTimeout(later, Math.random() * 1000));
    const { kept: must, check } = after(Date.now() - promised);
    await killBrowser();

    const again = await openBrowser();
    await openEditor(again, mode);
    await expect
      .poll(
        async () => {
          try {
            check(JSON.stringify((await readDraft()).draft));
            return 'kept';
          } catch (error) {
            return `round ${round}, ${mode}${isOffline ? ', offline' : ''}: ${error}`;
          }
        },
        { timeout: 20_000 },
      )
      .toBe('kept');
    expect(await faults()).toEqual(wrong);
    expect(await again.getByRole('alert').allTextContents()).toEqual([]);
    expect(must, 'something was painted long enough before').toBeGreaterThan(0);
    kept[mode] += must;
    await context!.close();
    await restore(original);
  }
  console.log(
    `${rounds} browsers killed; ${kept.translate} letters and ${kept.design} copies of layers had to be kept`,
  );
});

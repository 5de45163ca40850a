import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { askAs, somebody } from './people';
import { addressOf, flowCalled, open, page, server, suite, visitor } from './suite';

suite();

const example = new URL('../../manifest/examples/linear-onboarding.json', import.meta.url);
/** Runs in whatever takes it for markup, and says so to the page around it. */
const run = `top.postMessage('ran','*');top.ran=1`;
const markup = `<img src="/nowhere" onerror="${run}"><script>${run}</script><svg onload="${run}">Hello</svg>`;
/** As much of it as a name may hold. */
const name = `<img src="/nowhere" onerror="top.ran=1">`;

type Made = { createFlow: { id: string } };
const edit = `mutation ($f: ID!, $c: ID!, $steps: [EditStepInput!]!) {
  editDraft(input: {flowId: $f, baseRevision: 1, clientId: $c, sequence: 1, steps: $steps}) {
    outcomes { refusal { code node } }
  }
}`;

/** A flow in which every word that a person may choose is markup, and a link that runs a script. */
async function hostileFlow(): Promise<string> {
  const { createFlow } = await server.ask<Made>(
    'mutation ($a: ID!, $n: String!, $m: JSON) { createFlow(input: {appId: $a, name: $n, manifest: $m}) { id } }',
    { a: server.apps[0]!.id, n: name, m: JSON.parse(readFileSync(example, 'utf8')) },
  );
  const set = (node: string, value: unknown, ...path: string[]) => ({ op: 'set', node, path, value });
  const link = {
    id: 'lyr_link',
    kind: 'hyperlink',
    href: `javascript:${run}`,
    children: [{ id: 'lyr_link_text', kind: 'text', text: { default: 'Terms' } }],
  };
  const operations = [
    set('scr_welcome', name, 'name'),
    set('lyr_wl_img', name, 'name'),
    set('lyr_wl_img', markup, 'alt'),
    set('lyr_wl_title', name, 'name'),
    set('lyr_wl_title', { default: markup }, 'text'),
    set('lyr_wl_sub', { default: `{{ ${markup} }}` }, 'text'),
    { op: 'insert', parent: 'lyr_welcome_bd', slot: 'children', subtree: link },
  ];
  const steps = [{ name: markup, operations }];
  const answer = await server.ask<{ editDraft: { outcomes: { refusal: unknown }[] } }>(edit, {
    f: createFlow.id,
    c: crypto.randomUUID(),
    steps,
  });
  expect(answer.editDraft.outcomes).toEqual([{ refusal: null }]);
  return createFlow.id;
}

test('names, texts and links with scripts in them run neither in the dashboard nor in the frame', async () => {
  const flow = await hostileFlow();
  const said: string[] = [];
  page.on('dialog', (dialog) => void said.push(dialog.message()));
  const expectNothingRan = async () => {
    for (const frame of page.frames()) expect(await frame.evaluate(() => 'ran' in window)).toBe(false);
    expect(said).toEqual([]);
    // Markup that a page took for its own would have asked for the image.
    expect(await page.locator('img[src="/nowhere"], [onerror], [onload]').count()).toBe(0);
  };
  await open('flows');
  await page.getByText('<img src="/nowhere"').first().waitFor();
  await expectNothingRan();

  await open(`flows/${flow}/edit?screen=scr_welcome&layer=lyr_wl_title`);
  const canvas = page.frameLocator('iframe[title="Screens of the flow"]');
  await canvas.getByText('<img src="/nowhere"').first().waitFor();
  await page
    .getByRole('treeitem', { name: /<img src/ })
    .first()
    .waitFor();
  expect(await canvas.locator('[onerror], [onload], [href^="javascript:"]').count()).toBe(0);
  await canvas.getByText('Terms').first().click({ force: true });
  await expectNothingRan();
  await page.getByRole('button', { name: /^Problems: \d+ error/ }).click();
  await page.getByText('The link must be an https: address').first().waitFor();
  await expectNothingRan();

  for (const path of [`flows/${flow}/edit?mode=graph`, `flows/${flow}/edit?mode=translate`]) {
    await open(path);
    await page.getByText('<img src="/nowhere"').first().waitFor();
    await expectNothingRan();
  }
});

/** A picture that would run a script in every way that an SVG has, and ask other hosts in every way. */
const picture = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 80 80"
    width="80" height="80" onload="${run}">
  <script>${run}</script>
  <script href="https://elsewhere.example/script.js"/>
  <style>@import url(https://elsewhere.example/style.css); rect { fill: url(https://elsewhere.example/paint.svg#p) }
    @font-face { font-family: F; src: url(https://elsewhere.example/font.woff2) } text { font-family: F }</style>
  <rect width="80" height="80" fill="#3a7"/>
  <image href="https://elsewhere.example/image.png" width="9" height="9" onerror="${run}"/>
  <image href="/nowhere" width="9" height="9" onerror="${run}"/>
  <use href="https://elsewhere.example/use.svg#a"/>
  <a href="javascript:${run}"><rect width="80" height="80" fill-opacity="0.5"/></a>
  <foreignObject width="80" height="80"><div xmlns="http://www.w3.org/1999/xhtml">
    <iframe src="https://elsewhere.example/frame"/><img src="https://elsewhere.example/x" onerror="${run}"/>
    <script>${run}</script></div></foreignObject>
  <animate attributeName="href" values="javascript:${run}" onbegin="${run}"/>
  <text x="4" y="40">Hi</text>
</svg>`;

/** Puts a file into the library of whoever is signed in at the page, and returns its id and address. */
const upload = (content: string) =>
  page.evaluate(
    async ([content, app]) => {
      const ask = async (body: BodyInit, headers: Record<string, string>) =>
        (await (await fetch('/graphql', { method: 'POST', body, headers })).json()).data;
      const query = 'query ($a: ID!) { app(id: $a) { workspace { id } } }';
      const { app: read } = await ask(JSON.stringify({ query, variables: { a: app } }), {
        'Content-Type': 'application/json',
      });
      const form = new FormData();
      const mutation = `mutation ($w: ID!, $f: Upload!) {
        uploadMedia(input: {workspaceId: $w, type: IMAGE, file: $f}) { id path }
      }`;
      const variables = { w: read.workspace.id, f: null };
      form.set('operations', JSON.stringify({ query: mutation, variables }));
      form.set('map', JSON.stringify({ 0: ['variables.f'] }));
      form.set('0', new File([content!], 'hostile.svg', { type: 'image/svg+xml' }));
      return (await ask(form, { 'Apollo-Require-Preflight': '1' })).uploadMedia as { id: string; path: string };
    },
    [content, server.apps[0]!.id] as const,
  );

/** Shows a file on the first screen of a flow, and as the background of that screen's body. */
async function show(flow: string, file: string) {
  type Screen = { id: string; regions: { body: { id: string } } };
  type Read = { draft: { revision: number; document: { entryScreenId: string; screens: Screen[] } } };
  const { draft } = await server.ask<Read>('query ($f: ID!) { draft(flowId: $f) { revision document } }', { f: flow });
  const { body } = draft.document.screens.find(({ id }) => id === draft.document.entryScreenId)!.regions;
  const layer = {
    id: 'lyr_hostile',
    name: 'Hostile',
    kind: 'image',
    media: { mediaAssetId: file },
    alt: 'Hostile',
    style: { height: 80 },
  };
  const insert = { op: 'insert', parent: body.id, slot: 'children', subtree: layer };
  const answer = await server.ask<{ editDraft: { outcomes: { refusal: unknown }[] } }>(edit, {
    f: flow,
    c: crypto.randomUUID(),
    steps: [{ name: 'Show it', operations: [insert] }],
  });
  expect(answer.editDraft.outcomes).toEqual([{ refusal: null }]);
}

test('a picture with scripts and references runs nothing and asks nobody, wherever it is shown', async () => {
  const asked: string[] = [];
  await visitor.context.route(/elsewhere\.example|\/nowhere/, (route) => {
    asked.push(route.request().url());
    return route.abort();
  });
  const flow = await flowCalled('Welcome');
  await open('media');
  const { id, path } = await upload(picture);
  let seen = 0;
  /** Waits until the picture is shown so often, as a picture and as nothing else. */
  const expectShown = async (times: number, at = page) => {
    const drawn = async () => {
      const counts = at
        .frames()
        .map((frame) =>
          frame
            .locator(`img[src$="${path}"]`)
            .evaluateAll((all) => all.filter((one) => (one as HTMLImageElement).naturalWidth > 0).length),
        );
      return (await Promise.all(counts)).reduce((sum, one) => sum + one, 0);
    };
    await expect.poll(drawn).toBeGreaterThanOrEqual(times);
    for (const frame of at.frames()) {
      expect(await frame.evaluate(() => 'ran' in window)).toBe(false);
      expect(await frame.locator('foreignObject, [onload], [onerror]').count()).toBe(0);
    }
    expect(asked).toEqual([]);
    seen++;
  };

  await page.reload();
  await page.getByRole('button', { name: /hostile/ }).click();
  await expectShown(1);
  await show(flow, id);
  await open(`flows/${flow}/edit`);
  await page.getByRole('treeitem', { name: /Hostile/ }).waitFor();
  await expectShown(1);
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  await page.frameLocator('iframe[title="The flow, running"]').getByAltText('Hostile').waitFor();
  await expectShown(2); // on the canvas, too
  await open(`flows/${flow}/edit?mode=graph`);
  await page.getByRole('button', { name: 'History', exact: true }).click();
  await page.getByRole('dialog', { name: 'History' }).locator('button[aria-pressed]').last().click();
  await expectShown(1);
  await open(`flows/${flow}/edit`);
  await page.getByRole('link', { name: 'Publish' }).click();
  await page.getByRole('dialog').getByLabel('Label').waitFor();
  await expectShown(1);
  await open(`flows/${flow}/versions?as=compare`);
  await expectShown(1);

  // On its own, at its address, it is the document; it may run nothing and ask nobody there either.
  const own = await visitor.context.newPage();
  await own.goto(server.baseUrl + path);
  await expect.poll(() => own.evaluate(() => document.documentElement.localName)).toBe('svg');
  await own.locator('rect').last().click({ force: true });
  expect(await own.evaluate(() => 'ran' in window)).toBe(false);
  expect(asked).toEqual([]);
  await own.close();
  expect(seen).toBe(6);
});

test('a viewer who asks the API with the session of their page is refused', async () => {
  const flow = await hostileFlow();
  const viewer = await somebody(visitor, 'VIEWER');
  await viewer.page.goto(addressOf(`flows/${flow}/edit`));
  await viewer.page.getByRole('status').getByText('View only').waitFor();
  const steps = [{ name: '', operations: [{ op: 'set', node: 'flow', path: ['x'], value: 1 }] }];
  const { errors } = await askAs(viewer, edit, { f: flow, c: crypto.randomUUID(), steps });
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['forbidden']);
});

test('whose flow is archived, who is signed out and whose browser is full reads so, and loses nothing', async () => {
  visitor.expected = /status of (401|409)|ERR_INTERNET_DISCONNECTED|Failed to fetch/;
  const source = await server.ask<{ flow: { draft: unknown } }>('query ($f: ID!) { flow(id: $f) { draft } }', {
    f: await flowCalled('Before you go'),
  });
  const { createFlow } = await server.ask<Made>(
    'mutation ($a: ID!, $m: JSON) { createFlow(input: {appId: $a, name: "Stopped", manifest: $m}) { id } }',
    { a: server.apps[0]!.id, m: source.flow.draft },
  );
  const flow = createFlow.id;
  const arrived = async () =>
    JSON.stringify(await server.ask('query ($f: ID!) { flow(id: $f) { draft } }', { f: flow }));
  await open(`flows/${flow}/edit`);
  const name = page.getByRole('complementary', { name: 'Properties' }).getByRole('textbox', { name: 'Name' });
  const state = page.getByRole('status').first();
  const stopped = page.getByRole('alert').filter({ hasText: 'Try again' });

  await name.fill('While all is well');
  await server.ask('mutation ($f: ID!) { archiveFlow(input: {id: $f}) { id } }', { f: flow });
  await name.fill('While it is archived');
  await stopped.getByText('The flow was archived. Restore it to go on.').waitFor();
  await state.getByText('Not saved, kept in this browser').waitFor();
  await server.ask('mutation ($f: ID!) { unarchiveFlow(input: {id: $f}) { id } }', { f: flow });
  await stopped.getByRole('button', { name: 'Try again' }).click();
  await state.getByText('Saved', { exact: true }).waitFor();
  expect(await arrived()).toContain('While it is archived');

  await visitor.context.clearCookies();
  await name.fill('While they are signed out');
  await stopped.getByText('You are signed out.').waitFor();
  await visitor.context.request.get(server.link, { maxRedirects: 0 });
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await state.getByText('Saved', { exact: true }).waitFor();
  await stopped.waitFor({ state: 'detached' });
  expect(await arrived()).toContain('While they are signed out');

  await page.evaluate(() => {
    IDBObjectStore.prototype.put = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  });
  await visitor.context.setOffline(true);
  await name.fill('While nothing is kept');
  await state.getByText('Offline, leave this tab open').waitFor();
  await visitor.context.setOffline(false);
  await state.getByText('Saved', { exact: true }).waitFor();
  expect(await arrived()).toContain('While nothing is kept');
});

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { askAs, somebody } from './people';
import { addressOf, open, page, server, suite, visitor } from './suite';

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

test('a viewer who asks the API with the session of their page is refused', async () => {
  const flow = await hostileFlow();
  const viewer = await somebody(visitor, 'VIEWER');
  await viewer.page.goto(addressOf(`flows/${flow}/edit`));
  await viewer.page.getByRole('status').getByText('View only').waitFor();
  const steps = [{ name: '', operations: [{ op: 'set', node: 'flow', path: ['x'], value: 1 }] }];
  const { errors } = await askAs(viewer, edit, { f: flow, c: crypto.randomUUID(), steps });
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['forbidden']);
});

import type { FrameLocator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { askAs, somebody } from './people';
import { addressOf, open, page, server, suite, visitor } from './suite';
import { violations } from './visitor';

suite();

const screenshots = process.env.E2E_SCREENSHOTS;
const shot = async (name: string, at: Page = page) => {
  if (screenshots) await at.screenshot({ path: `${screenshots}/components-${name}.png` });
};
const saved = (at: Page = page) => at.getByRole('status').getByText('Saved', { exact: true }).waitFor();
const canvas = (at: Page = page): FrameLocator => at.frameLocator('iframe[title="Screens of the flow"]');
const row = (name: string | RegExp, at: Page = page) => at.getByRole('treeitem', { name });
const panel = (at: Page = page) => at.getByRole('region', { name: 'Instance' });
const properties = (at: Page = page) => at.getByRole('complementary', { name: 'Properties' });

const words = (id: string, text: string) => ({
  id,
  kind: 'text',
  text: { default: text },
  style: { color: '#111111' },
});
const stack = (id: string, name: string, children: object[]) => ({
  ...{ id, name, kind: 'stack', direction: 'vertical', gap: 8, children },
});

/** A flow of one screen with a card in it. */
async function flowWith(name: string, children: object[], app = server.apps[0]!.id): Promise<string> {
  const manifest = {
    schemaVersion: 7,
    defaultLocale: 'en',
    locales: ['en'],
    entryScreenId: 'scr_one',
    decisionNodes: [],
    externalSurfaceNodes: [],
    sdkAttributeKeys: [],
    screens: [
      {
        id: 'scr_one',
        name: 'Offer',
        next: { default: null },
        regions: { body: { id: 'lyr_body', kind: 'stack', direction: 'vertical', children } },
      },
    ],
  };
  const made = await server.ask<{ createFlow: { id: string } }>(
    'mutation ($a: ID!, $n: String!, $m: JSON) { createFlow(input: {appId: $a, name: $n, manifest: $m}) { id } }',
    { a: app, n: name, m: manifest },
  );
  return made.createFlow.id;
}

const card = () =>
  stack('lyr_card', 'Card', [
    words('lyr_title', 'Yearly'),
    words('lyr_price', '$39.99'),
    stack('lyr_more', 'More', []),
  ]);

/** Saves the selected layer by the menu of its row. */
async function saveAs(name: string, layer: RegExp = /^Card, Stack/) {
  await row(layer).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Save as component…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save as component' });
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  return dialog;
}

/** Adds an instance by the panel. */
async function add(name: string, at: Page = page) {
  await at.getByText('Add', { exact: true }).click();
  await at.getByRole('option', { name, exact: true }).click();
  await at.getByText(`Added ${name} in `).waitFor();
  await at.getByText('Layers', { exact: true }).first().click();
}

/** Writes the text of the selected layer. */
async function write(text: string, at: Page = page) {
  const field = properties(at).getByRole('textbox', { name: 'Text', exact: true });
  await field.fill(text);
  await field.blur();
}

const instances = (name: string, at: Page = page) => row(new RegExp(`instance of ${name}`), at);

test('a component is saved, added in two flows and overridden; instances follow it, and a published version does not', async () => {
  const [first, second] = [await flowWith('Offer one', [card()]), await flowWith('Offer two', [])];
  await open(`flows/${first}/edit?layer=lyr_card`);
  const dialog = await saveAs('Offer card');
  await dialog.getByRole('checkbox', { name: 'More is a slot' }).check();
  expect(await violations(page)).toEqual([]);
  await shot('save');
  await dialog.getByRole('button', { name: 'Save as component' }).click();
  await instances('Offer card').waitFor();
  await panel().getByText('Follows its component.').waitFor();
  expect(await violations(page)).toEqual([]);

  // An instance goes beside the one that is selected, never into it.
  await add('Offer card');
  await expect.poll(() => instances('Offer card').count()).toBe(2);
  const levels = await instances('Offer card').evaluateAll((rows) => rows.map((one) => one.getAttribute('aria-level')));
  expect(levels).toEqual(['2', '2']);
  await page.getByRole('button', { name: 'Undo: Add Offer card' }).click();
  await expect.poll(() => instances('Offer card').count()).toBe(1);
  await saved();

  await open(`flows/${second}/edit?layer=lyr_body`);
  await add('Offer card');
  await instances('Offer card').waitFor();
  await row(/^Yearly/).click();
  await write('Only today');
  await panel().getByText('1 property differs from the component.').waitFor();
  await shot('override');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.getByText('Add', { exact: true }).click();
  await page.getByRole('option', { name: 'Offer card', exact: true }).waitFor();
  await shot('add-dark');
  await page.getByText('Layers', { exact: true }).first().click();
  await page.emulateMedia({ colorScheme: 'light' });
  const slot = row(/^More, Stack/);
  await slot.click();
  await saved();
  await publish(second);

  // The component changes in the first flow.
  await open(`flows/${first}/edit?layer=lyr_price`);
  await write('$29.99');
  await page.getByRole('button', { name: 'More for the component' }).click();
  await page.getByRole('menuitem', { name: 'Update component from this' }).click();
  await panel().getByText('Follows its component.').waitFor();
  await saved();

  // The other flow follows when it is opened; what it has of its own stays.
  await open(`flows/${second}/edit`);
  await canvas().getByText('$29.99').waitFor();
  await canvas().getByText('Only today').waitFor();
  await page.getByText('An instance follows its component. Undo takes it back.').waitFor();
  await saved();
  const version = await publishedText(second);
  expect(version).toContain('$39.99');
  expect(version).not.toContain('"component"');

  // Reset gives the component’s value back.
  await row(/^Only today/).click();
  await properties().getByRole('button', { name: 'Reset Text' }).click();
  await canvas().getByText('Yearly').waitFor();
  await panel().getByText('Follows its component.').waitFor();

  await page.getByRole('button', { name: 'More for the component' }).click();
  await page.getByRole('menuitem', { name: 'Where used' }).click();
  const all = page.getByRole('dialog', { name: 'Components' });
  const uses = all.getByRole('list', { name: 'Used in' });
  await uses.getByRole('link', { name: 'Offer one' }).waitFor();
  await uses.getByRole('link', { name: 'Offer two' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await shot('uses');
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'More for the component' }).click();
  await page.getByRole('menuitem', { name: 'Detach' }).click();
  await expect.poll(() => instances('Offer card').count()).toBe(0);
  await page.getByRole('button', { name: /^Undo: Detach/ }).click();
  await expect.poll(() => instances('Offer card').count()).toBe(1);
  await saved();
});

async function publish(flow: string) {
  const draft = await server.ask<{ draft: { revision: number } }>(
    'query ($f: ID!) { draft(flowId: $f) { revision } }',
    {
      f: flow,
    },
  );
  await server.ask('mutation ($f: ID!, $r: Int!) { publishFlow(input: {id: $f, revision: $r}) { version { id } } }', {
    f: flow,
    r: draft.draft.revision,
  });
}

async function publishedText(flow: string): Promise<string> {
  type Answer = { flow: { versions: { nodes: { manifest: unknown }[] } } };
  const answer = await server.ask<Answer>(
    'query ($f: ID!) { flow(id: $f) { versions(first: 1) { nodes { manifest } } } }',
    {
      f: flow,
    },
  );
  return JSON.stringify(answer.flow.versions.nodes[0]!.manifest);
}

test('two members add instances at once, and each sees those of the other; undo is one’s own', async () => {
  const flow = await flowWith('Together', [card()]);
  await open(`flows/${flow}/edit?layer=lyr_card`);
  const dialog = await saveAs('Shared card');
  await dialog.getByRole('button', { name: 'Save as component' }).click();
  await instances('Shared card').waitFor();
  await saved();
  const ben = await somebody(visitor, 'EDITOR');
  await ben.page.goto(addressOf(`flows/${flow}/edit?layer=lyr_body`));
  await instances('Shared card', ben.page).waitFor();
  await Promise.all([add('Shared card'), add('Shared card', ben.page)]);
  for (const at of [page, ben.page]) await expect.poll(() => instances('Shared card', at).count()).toBe(3);
  await page.getByRole('button', { name: 'Undo: Add Shared card' }).click();
  for (const at of [page, ben.page]) await expect.poll(() => instances('Shared card', at).count()).toBe(2);

  // Both open the draft after the component has changed: it follows once.
  const { id, revision } = await componentCalled('Shared card');
  const tree = stack('lyr_card', 'Card', [words('lyr_title', 'Yearly'), words('lyr_new', 'Most popular')]);
  await server.ask(
    `mutation ($id: ID!, $t: JSON!, $r: Int!) {
      updateComponent(input: {id: $id, revision: $r, content: {tree: $t}}) { revision }
    }`,
    { id, r: revision, t: tree },
  );
  await Promise.all([page.reload(), ben.page.reload()]);
  for (const at of [page, ben.page]) {
    await expect.poll(() => canvas(at).getByText('Most popular').count()).toBe(2);
    await saved(at);
  }
  await new Promise((later) => setTimeout(later, 500));
  for (const at of [page, ben.page]) {
    expect(await canvas(at).getByText('Most popular').count()).toBe(2);
    expect(await at.getByRole('alert').getByText('Not applied').count()).toBe(0);
  }
});

type Found = { app: { components: { nodes: { id: string; name: string; revision: number }[] } } };
async function componentCalled(name: string) {
  const found = await server.ask<Found>(
    'query ($a: ID!) { app(id: $a) { components(first: 100) { nodes { id name revision } } } }',
    { a: server.apps[0]!.id },
  );
  return found.app.components.nodes.find((one) => one.name === name)!;
}

test('what instances may not change is locked; a component is renamed, and its instances outlive it', async () => {
  const flow = await flowWith('Locked', [card()]);
  await open(`flows/${flow}/edit?layer=lyr_card`);
  const dialog = await saveAs('Locked card');
  await dialog.getByText('Chosen properties').click();
  await shot('chosen');
  await dialog.getByRole('button', { name: 'Save as component' }).click();
  await instances('Locked card').waitFor();
  await row(/^Yearly/).click();
  await expect.poll(() => properties().getByLabel('Size', { exact: true }).isDisabled()).toBe(true);
  expect(await properties().getByRole('textbox', { name: 'Text', exact: true }).isDisabled()).toBe(false);

  await page.getByRole('button', { name: 'More for the component' }).click();
  await page.getByRole('menuitem', { name: 'Settings of the component…' }).click();
  const settings = page.getByRole('dialog', { name: 'Settings of Locked card' });
  await settings.getByRole('textbox', { name: 'Name', exact: true }).fill('Open card');
  await settings.getByRole('button', { name: 'Save' }).click();
  await instances('Open card').waitFor();

  await page.getByRole('button', { name: 'More for the component' }).click();
  await page.getByRole('menuitem', { name: 'Where used' }).click();
  const entry = page.getByRole('dialog', { name: 'Components' }).getByRole('listitem', { name: 'Open card' });
  await entry.getByRole('button', { name: 'Delete' }).click();
  await entry.getByRole('button', { name: /^Delete\? / }).click();
  await entry.waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await panel().getByText('Deleted component').waitFor();
  await canvas().getByText('Yearly').waitFor();
  await panel().getByRole('button', { name: 'Detach' }).click();
  await panel().waitFor({ state: 'detached' });
  await saved();
});

test('a component with a script in its name and its words runs nothing; who only views can’t change any', async () => {
  const script = '<img src="/nowhere" onerror="top.ran=1">';
  const app = server.apps[0]!.id;
  const tree = stack('lyr_evil', script, [words('lyr_words', `<svg onload="top.ran=1">${script}</svg>`)]);
  await server.ask(
    `mutation ($a: ID!, $n: String!, $t: JSON!) {
      createComponent(input: {appId: $a, name: $n, content: {tree: $t, slots: [{layerId: "lyr_evil", name: $n}]}}) { id }
    }`,
    { a: app, n: script, t: tree },
  );
  // An instance of a component that this app does not have is layers like others.
  const flow = await flowWith('Hostile', [card()]);
  const mark = { id: crypto.randomUUID(), revision: 1, layer: 'lyr_card' };
  await server.ask(
    `mutation ($f: ID!, $c: ID!, $steps: [EditStepInput!]!) {
      editDraft(input: {flowId: $f, baseRevision: 1, clientId: $c, sequence: 1, steps: $steps}) { revision }
    }`,
    {
      f: flow,
      c: crypto.randomUUID(),
      steps: [{ name: 'x', operations: [{ op: 'set', node: 'lyr_card', path: ['component'], value: mark }] }],
    },
  );
  await open(`flows/${flow}/edit?layer=lyr_card`);
  await panel().getByText('Deleted component').waitFor();
  await row(/^Body/).click();
  await add(script);
  await page.getByText('Add', { exact: true }).click();
  await page.getByRole('button', { name: 'Manage components…' }).click();
  await page.getByRole('dialog', { name: 'Components' }).getByText(script).waitFor();
  for (const frame of page.frames()) expect(await frame.evaluate(() => 'ran' in window)).toBe(false);
  expect(await page.locator('img[src="/nowhere"], [onerror], [onload]').count()).toBe(0);
  await page.keyboard.press('Escape');
  await saved();

  const viewer = await somebody(visitor, 'VIEWER');
  await viewer.page.goto(addressOf(`flows/${flow}/edit?layer=lyr_card`));
  await panel(viewer.page).waitFor();
  expect(await panel(viewer.page).getByRole('button', { name: 'Detach' }).count()).toBe(0);
  const refused = await askAs(viewer, `mutation ($id: ID!) { deleteComponent(input: {id: $id, detach: true}) }`, {
    id: (await componentCalled(script)).id,
  });
  expect(refused.errors?.[0]?.extensions.code).toBe('forbidden');
});

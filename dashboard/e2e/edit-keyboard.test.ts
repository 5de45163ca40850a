import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { Keyboard } from './keyboard';
import { open, page, server, suite } from './suite';
import { settled, violations } from './visitor';

suite();

const button = (name: string | RegExp): Locator => page.getByRole('button', { name, exact: true });
const search = (): Locator => page.getByRole('combobox', { name: 'Search what to add' });
const canvas = (): Locator => page.getByRole('application', { name: 'Canvas' });
const side = (): Locator => page.getByRole('complementary', { name: 'Properties' });
const row = (name: string | RegExp): Locator =>
  page.getByRole('tree', { name: 'Layers' }).getByRole('treeitem', { name, exact: true });
const layerTabs = (): Locator => page.getByRole('radiogroup', { name: 'Layers or new ones' }).getByRole('radio');

type Layer = { id: string; kind: string; children?: Layer[]; [property: string]: unknown };
type Screen = { id: string; name: string; regions: Record<string, Layer>; next: { default: string | null } };

async function versionOf(flow: string): Promise<{ label: string; manifest: { screens: Screen[] } } | undefined> {
  const query = 'query ($id: ID!) { flow(id: $id) { versions(first: 1) { nodes { label manifest } } } }';
  type Answer = { flow: { versions: { nodes: { label: string; manifest: { screens: Screen[] } }[] } } };
  return (await server.ask<Answer>(query, { id: flow })).flow.versions.nodes[0];
}

const clean = async (where: string) => {
  await settled(page);
  expect([where, await violations(page)]).toEqual([where, []]);
};

test('a flow of two screens is built, connected and published without a pointer', async () => {
  const { createFlow } = await server.ask<{ createFlow: { id: string } }>(
    'mutation ($app: ID!) { createFlow(input: {appId: $app, name: "By keys"}) { id } }',
    { app: server.apps[0]!.id },
  );
  await open(`flows/${createFlow.id}/edit`);
  await settled(page);
  const keys = new Keyboard(page);
  await clean('a blank flow');

  await keys.tabTo(button('Add a screen'));
  await keys.press('Enter');
  await page.getByRole('textbox', { name: 'Name', exact: true }).first().waitFor();
  await keys.type('Ask');
  await keys.press('Enter');

  const write = async (words: string) => {
    await keys.tabTo(canvas());
    await keys.press('Enter');
    await page.getByRole('textbox', { name: 'Text', exact: true }).first().waitFor();
    await keys.type(words);
    await keys.press('Escape');
  };
  const openTab = async (which: 'Layers' | 'Add') => {
    await keys.tabTo(layerTabs());
    await keys.press(which === 'Add' ? 'ArrowRight' : 'ArrowLeft');
  };
  const add = async (words: string) => {
    await keys.tabTo(search());
    await keys.press('Escape');
    await keys.type(words);
    await page
      .getByRole('listbox', { name: 'What can be added' })
      .getByRole('option', { name: words, exact: true, selected: true })
      .waitFor();
    await keys.press('Enter');
    await page.getByText(new RegExp(`^Added ${words} `)).waitFor();
  };
  const walk = (to: Locator) => keys.walkTo(to, page.getByRole('treeitem'));
  await openTab('Add');
  await add('Text');
  await clean('what can be added');
  await write('Hello there');
  await add('Single choice');
  await add('Button');

  await openTab('Layers');
  await walk(row(/, Button$/));
  await clean('the layers');

  await walk(row('Option 1, Text'));
  await write('Tea');
  await keys.tabTo(button('Add a screen'));
  await keys.press('Enter');
  await page.getByRole('textbox', { name: 'Name', exact: true }).first().waitFor();
  await keys.type('Thanks');
  await keys.press('Enter');
  await openTab('Add');
  await add('Text');
  await write('Thank you');

  await keys.tabTo(page.getByRole('link', { name: /^Ask/ }));
  await keys.press('Enter');
  await openTab('Layers');
  await walk(row(/, Button$/));
  await keys.choose(side().getByLabel('When tapped'), 'go to');
  await keys.choose(side().getByLabel('Step to go to'), 'Thanks');
  await clean('a button that leads on');

  await keys.tabTo(canvas());
  await keys.press('2');
  await page
    .getByRole('region', { name: 'Graph' })
    .getByLabel(/^Screen Ask\b.*leads to Thanks/)
    .waitFor();
  await clean('the graph');
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  await keys.press('Control+Enter');
  const dialog = page.getByRole('dialog', { name: 'Publish By keys' });
  await dialog.getByLabel('Label').waitFor();
  await clean('what publishing means');
  await keys.type('First');
  await keys.tabTo(dialog.getByRole('button', { name: 'Publish', exact: true }));
  await keys.press('Enter');
  await dialog.waitFor({ state: 'hidden' });

  const version = (await versionOf(createFlow.id))!;
  expect(version.label).toBe('First');
  const [ask, thanks] = version.manifest.screens;
  expect([ask!.name, thanks!.name, ask!.next.default, thanks!.next.default]).toEqual([
    'Ask',
    'Thanks',
    thanks!.id,
    null,
  ]);
  const inside = (layer: Layer): Layer[] => [layer, ...(layer.children ?? []).flatMap(inside)];
  const all = inside(ask!.regions.body!);
  const has = (kind: string, properties: object) => all.some((one) => one.kind === kind && matches(one, properties));
  expect(has('text', { text: { default: 'Hello there' } })).toBe(true);
  expect(has('text', { text: { default: 'Tea' } })).toBe(true);
  expect(all.find(({ kind }) => kind === 'single_choice')!.optionBindings).toHaveLength(2);
  expect(has('button', { action: { kind: 'go_to_step', screenId: thanks!.id } })).toBe(true);
});

const matches = (one: object, properties: object) =>
  Object.entries(properties).every(
    ([name, value]) => JSON.stringify((one as Record<string, unknown>)[name]) === JSON.stringify(value),
  );

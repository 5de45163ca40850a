import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { Effort } from './effort';
import { resolved } from './served';
import { flowCalled, open, page, server, suite } from './suite';
import { settled, violations } from './visitor';

suite();

const canvas = () => page.frameLocator('iframe[title="Screens of the flow"]');
const saved = () => page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
const side = (): Locator => page.getByRole('complementary', { name: 'Properties' });
const writing = () => page.getByRole('textbox', { name: 'Text', exact: true }).first();
const tree = (): Locator => page.getByRole('tree', { name: 'Layers' });
const tab = (name: string): Locator =>
  page.getByRole('radiogroup', { name: 'Layers or new ones' }).getByText(name, { exact: true });
const mode = (name: string): Locator => page.getByRole('radiogroup', { name: 'Mode' }).getByText(name, { exact: true });
const offered = (name: string): Locator =>
  page.getByRole('listbox', { name: 'What can be added' }).getByRole('option', { name, exact: true });

type Layer = { kind: string; text?: { default: string }; children?: Layer[]; [property: string]: unknown };
type Screen = { id: string; name: string; regions: Record<string, Layer>; next: { default: string | null } };
type Draft = { screens: Screen[]; externalSurfaceNodes?: { id: string; config: object; outcomes: object }[] };

async function draftOf(flow: string): Promise<Draft> {
  const query = 'query ($id: ID!) { flow(id: $id) { draft } }';
  return (await server.ask<{ flow: { draft: Draft } }>(query, { id: flow })).flow.draft;
}

function layersOf({ regions }: Screen): Layer[] {
  const all = (layer: Layer): Layer[] => [layer, ...(layer.children ?? []).flatMap(all)];
  return Object.values(regions).flatMap(all);
}

/** What keeps the draft of a flow from being published. */
async function errorsOf(flow: string): Promise<string[]> {
  const query = 'query ($id: ID!) { flow(id: $id) { problems { severity message } } }';
  type Answer = { flow: { problems: { severity: string; message: string }[] } };
  const { problems } = (await server.ask<Answer>(query, { id: flow })).flow;
  return problems.filter(({ severity }) => severity === 'ERROR').map(({ message }) => message);
}

test('a headline is changed and live', async () => {
  const flow = await flowCalled('Welcome');
  await open(`flows/${flow}/edit`);
  const effort = new Effort(page);
  await effort.pressAt(canvas().getByText('Plants that outlive').first(), 2);
  await page.getByRole('textbox', { name: 'Text', exact: true }).first().waitFor();
  await effort.type('Plants that forgive');
  await saved();
  await effort.click(page.getByRole('link', { name: 'Publish' }));
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Label').waitFor();
  await settled(page);
  expect(await violations(page)).toEqual([]);
  await effort.click(dialog.getByLabel(/^Onboarding gets the new version/));
  await effort.click(dialog.getByRole('button', { name: 'Publish and set live' }));
  await dialog.waitFor({ state: 'hidden' });
  effort.took('change a headline and set it live', 6);
  await expect.poll(async () => (await resolved('Welcome')).includes('"Plants that forgive"')).toBe(true);
});

test('a question with four options is added, and the answer decides what comes next', async () => {
  const flow = await flowCalled('Welcome');
  await open(`flows/${flow}/edit?screen=scr_welcome`);
  const before = (await draftOf(flow)).screens;
  await canvas().getByText('Plants that').first().waitFor();
  const effort = new Effort(page);
  await effort.click(tab('Add'));
  await effort.click(offered('Question with options'));
  const asked = page.frameLocator('iframe[title="Screens of the flow"]').getByText('What brings you here?').first();
  await effort.pressAt(asked, 2);
  await effort.type('How green is your thumb?');
  await effort.pressAt(canvas().getByText('The first', { exact: true }), 2);
  const shown = ['The first', 'The second', 'Something else', 'Very']; // the fourth is a copy of the third
  for (const [at, words] of ['Not at all', 'A little', 'Very', 'It is a leaf'].entries()) {
    if (at > 0) await effort.key('Enter');
    if (at === 3) await expect.poll(() => canvas().getByText('Very', { exact: true }).count()).toBe(2);
    await expect.poll(() => writing().inputValue()).toBe(shown[at]);
    await effort.type(words);
  }
  await effort.key('Escape');
  const leads = { 'Not at all': 'Goal', 'A little': 'How many', Very: 'Light', 'It is a leaf': 'Ready' };
  for (const [words, to] of Object.entries(leads)) await effort.choose(side().getByLabel(`“${words}” leads to`), to);
  await saved();
  effort.took('add a question with four options and branch on the answer', 25);
  await settled(page);
  expect(await violations(page)).toEqual([]);

  const after = (await draftOf(flow)).screens;
  const asks = after.flatMap(layersOf).find(({ branching, optionBindings }) => {
    return (branching as { enabled?: boolean })?.enabled && (optionBindings as object[])?.length === 4;
  })!;
  const ids = Object.values(leads).map((name) => after.find((screen) => screen.name === name)!.id);
  expect((asks.branching as { conditions: { goTo: string }[] }).conditions.map(({ goTo }) => goTo)).toEqual(ids);
  const texts = after.flatMap(layersOf).map(({ text }) => text?.default);
  expect(texts).toEqual(expect.arrayContaining(['How green is your thumb?', ...Object.keys(leads)]));
  expect(after.length).toBeLessThanOrEqual(before.length + 1);
  expect(await errorsOf(flow)).toEqual([]);
});

test('a paywall of three plans with a badge, a toggle and a way to restore grows from a blank screen', async () => {
  const { createFlow } = await server.ask<{ createFlow: { id: string } }>(
    'mutation ($app: ID!) { createFlow(input: {appId: $app, name: "Paywall from nothing"}) { id } }',
    { app: server.apps[0]!.id },
  );
  const flow = createFlow.id;
  await open(`flows/${flow}/edit`);
  await settled(page);
  const effort = new Effort(page);
  await effort.click(page.getByRole('button', { name: 'Add a screen', exact: true }));
  await effort.type('Offer');
  await effort.key('Enter');
  // Who sells, and what.
  await effort.click(mode('Graph'));
  await effort.click(page.getByRole('button', { name: 'Add a step' }));
  await effort.click(page.getByRole('menuitem', { name: 'New paywall' }));
  await effort.choose(side().getByLabel('Shown by'), 'RevenueCat');
  await effort.click(side().getByLabel('Offering'));
  await effort.type('spring_offer');
  await effort.choose(side().getByLabel('Otherwise', { exact: true }), 'End of the flow');
  await effort.click(mode('Design'));
  await effort.click(page.getByRole('link', { name: /^Offer/ }));
  await effort.click(tab('Add'));
  for (const name of [
    'Image with headline',
    'Choice of plans',
    'Words with a toggle',
    'Continue and skip',
    'Legal footer',
  ])
    await effort.click(offered(name));
  const write = async (before: string, words: string) => {
    await effort.pressAt(canvas().getByText(before, { exact: true }).first(), 2);
    await expect.poll(() => writing().inputValue()).toContain(before);
    await effort.type(words);
    await effort.key('Escape');
  };
  await write('A promise in five words', 'Every plant, looked after');
  await write('Yearly', 'A year');
  await write('Best value', 'Save 80 %');
  await write('Monthly', 'A month');
  await write('Weekly', 'A week');
  await write('Free trial', 'Try it for seven days');
  await effort.click(tab('Layers'));
  await effort.click(tree().getByRole('treeitem', { name: 'Continue, Button' }));
  await effort.choose(side().getByLabel('When tapped'), 'go to');
  await saved();
  effort.took('a paywall of three plans with badge, toggle and restore link from a blank screen', 80);
  await settled(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, await violations(page)]).toEqual([colorScheme, []]);
  }
  const draft = await draftOf(flow);
  const [surface] = draft.externalSurfaceNodes!;
  expect(surface!.config).toEqual({ provider: 'revenuecat', offeringId: 'spring_offer' });
  const layers = layersOf(draft.screens[0]!);
  const leading = layers.filter(({ action }) => (action as { screenId?: string })?.screenId === surface!.id);
  const wordsIn = (layer: Layer): unknown[] => [layer.text?.default, ...(layer.children ?? []).flatMap(wordsIn)];
  expect(leading.flatMap((layer) => wordsIn(layer).filter(Boolean)).sort()).toEqual(['Continue', 'Restore']);
  expect(layers.find(({ kind }) => kind === 'single_choice')!.optionBindings).toHaveLength(3);
  expect(layers.filter(({ kind }) => kind === 'checkbox')).toHaveLength(1);
  expect(layers.find(({ name }) => name === 'Badge')).toBeDefined();
  expect(await errorsOf(flow)).toEqual([]);
});

import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { boundsOf } from '../src/scope/range';
import { flowCalled, open, page, server, suite } from './suite';
import { settled, violations } from './visitor';

suite();

const graphOf = (at: Page): Locator => at.getByRole('region', { name: 'Graph' });
/** A step of the graph by the beginning of what a screen reader says of it. */
const step = (name: string): Locator => graphOf(page).getByLabel(new RegExp(`^${name}\\b`));
const address = (name: string) => new URL(page.url()).searchParams.get(name);

/** Opens the graph of a flow of the demo. */
async function openGraph(name: string): Promise<void> {
  await open(`flows/${await flowCalled(name)}/edit?mode=graph`);
  await step('Screen ').first().waitFor();
}

test('keys switch between Design and Graph, and a screen opens where it is designed', async () => {
  await open(`flows/${await flowCalled('Welcome')}/edit`);
  await page.getByRole('application', { name: 'Canvas' }).focus();
  await page.keyboard.press('2');
  await step('Screen Welcome').waitFor();
  expect(address('mode')).toBe('graph');
  await step('Screen Goal').click();
  await expect.poll(() => address('screen')).not.toBe(null);
  const goal = address('screen');
  await page
    .getByRole('link', { name: 'Goal', exact: true, includeHidden: false })
    .and(page.locator('[aria-current]'))
    .waitFor();
  await step('Screen Goal').dblclick();
  await page.getByRole('application', { name: 'Canvas' }).waitFor();
  expect([address('mode'), address('screen')]).toEqual([null, goal]);
  await page.keyboard.press('2');
  await step('Screen Goal').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('application', { name: 'Canvas' }).waitFor();
  expect(address('screen')).toBe(goal);
});

test('the graph says where every way leads, finds steps, and is free of barriers', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await openGraph('Welcome');
    const words = await step('Screen Goal').getAttribute('aria-label');
    expect(words).toMatch(/\. Next leads to How many\./);
    await page.getByRole('combobox', { name: 'Find a step' }).fill('plan');
    await page.getByRole('listbox', { name: 'Find a step' }).getByText('Your plan').click();
    await page.locator('[aria-current]').getByText('Your plan').waitFor();
    await settled(page);
    expect([colorScheme, await violations(page)]).toEqual([colorScheme, []]);
  }
});

const undo = (name: string | RegExp) =>
  page.getByRole('button', { name: name instanceof RegExp ? name : `Undo: ${name}` });
const leads = (name: string, words: RegExp) => expect.poll(() => step(name).getAttribute('aria-label')).toMatch(words);
/** The middle of the handle of a way out. */
async function handle(name: string, way: string) {
  const row = step(name).getByRole('listitem', { includeHidden: true }).filter({ hasText: way });
  const { x, y, width, height } = (await row.locator('.react-flow__handle').boundingBox())!;
  return { x: x + width / 2, y: y + height / 2 };
}
/** Shows the whole graph. Nothing moves after: places that are measured stay true. */
async function fitted() {
  await page.getByRole('button', { name: 'Fit', exact: true }).click();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const { x, width } = (await graphOf(page).boundingBox())!;
  const ends = () => Promise.all(['Screen Welcome', 'Screen Your plan'].map((name) => step(name).boundingBox()));
  const inside = (box: { x: number; width: number } | null) => box && box.x >= x && box.x + box.width <= x + width;
  await expect.poll(async () => (await ends()).every(inside)).toBe(true);
}
async function pull(from: { x: number; y: number }, to: { x: number; y: number }) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 12, from.y + 12, { steps: 2 });
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.mouse.up();
}

test('ways are drawn, steps added, moved and deleted, by the pointer as by keys, each one step to undo', async () => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openGraph('Welcome');
  await fitted();
  const plan = (await step('Screen Your plan').boundingBox())!;
  await pull(await handle('Screen Welcome', 'Next'), { x: plan.x + plan.width / 2, y: plan.y + 12 });
  await leads('Screen Welcome', /\. Next leads to Your plan/);
  await undo('Lead “Next” of “Welcome” to “Your plan”').click();
  await leads('Screen Welcome', /\. Next leads to Goal/);

  const box = (await graphOf(page).boundingBox())!;
  await fitted();
  await pull(await handle('Screen Welcome', 'Next'), { x: box.x + box.width / 2, y: box.y + box.height - 60 });
  await page.getByRole('menuitem', { name: 'New decision' }).click();
  await leads('Screen Welcome', /\. Next leads to Decision 2/);
  await leads('Decision Decision 2', /Otherwise leads to Goal/);

  const ways = page.getByRole('region', { name: 'Connections from Decision 2' });
  await ways.getByRole('combobox', { name: 'Otherwise' }).fill('Your');
  await page.getByRole('listbox', { name: 'Otherwise' }).getByText('Your plan').click();
  await leads('Decision Decision 2', /Otherwise leads to Your plan/);
  await settled(page);
  expect(await violations(page)).toEqual([]);

  const before = (await step('Decision Decision 2').boundingBox())!;
  await step('Decision Decision 2').focus();
  await page.keyboard.press('ArrowRight');
  await undo('Move “Decision 2”').waitFor();
  await expect.poll(async () => (await step('Decision Decision 2').boundingBox())!.x).toBeGreaterThan(before.x);
  await page.keyboard.press('Delete');
  const dialog = page.getByRole('dialog', { name: 'Delete “Decision 2”?' });
  await dialog.getByText('the screen “Welcome”').waitFor();
  await dialog.getByRole('button', { name: 'Delete step' }).click();
  await step('Decision Decision 2').waitFor({ state: 'detached' });
  for (const name of ['Remove “Decision 2”', 'Move “Decision 2”', 'Lead “Otherwise” of “Decision 2” to “Your plan”'])
    await undo(name).click();
  await undo('Add “Decision 2”').click();
  await leads('Screen Welcome', /\. Next leads to Goal/);
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
});

type Funnel = {
  steps: { id: string; name: string; kind: string; people: number; reach: number; drop: number }[];
  decisions: { node: string; case: string; runs: number }[];
};
/** The funnel of the version of a flow that was published last, in the period of the numbers. */
async function funnelOf(flow: string): Promise<Funnel & { number: number }> {
  const { versions } = (
    await server.ask<{ flow: { versions: { nodes: { id: string; number: number }[] } } }>(
      'query ($flow: ID!) { flow(id: $flow) { versions(first: 1) { nodes { id number } } } }',
      { flow },
    )
  ).flow;
  const newest = versions.nodes[0]!;
  const timeZone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  const { start, end } = boundsOf('28d', timeZone, new Date());
  const { flowAnalytics } = await server.ask<{ flowAnalytics: { funnel: Funnel } }>(
    `query ($scope: FlowAnalyticsScope!) { flowAnalytics(scope: $scope) { funnel {
       steps { id name kind people reach drop } decisions { node case runs } } } }`,
    {
      scope: {
        flowId: flow,
        timeZone,
        versions: [newest.id],
        range: { start: start.toISOString(), end: end.toISOString() },
      },
    },
  );
  return { ...flowAnalytics.funnel, number: newest.number };
}
const share = (value: number) => value.toLocaleString('en', { style: 'percent', maximumFractionDigits: 1 });
const numbers = () => page.getByRole('switch', { name: 'Numbers' });
const said = () => graphOf(page).getByRole('status');

test('numbers of the last version stand at its steps and ways, as the report has them, until they are off', async () => {
  const { number, steps, decisions } = await funnelOf(await flowCalled('Welcome'));
  await page.setViewportSize({ width: 1440, height: 900 });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await openGraph('Welcome');
    if (colorScheme === 'light') {
      expect(await numbers().isChecked()).toBe(false);
      expect(
        await graphOf(page)
          .getByText(/% left/)
          .count(),
      ).toBe(0);
      await numbers().focus();
      await page.keyboard.press('Space');
    }
    await said().getByText(`v${number} · Last 28 days`).waitFor();
    expect(await numbers().isChecked()).toBe(true); // kept when the page is opened again
    const screens = steps.filter(({ kind }) => kind === 'SCREEN');
    expect(screens.some(({ people }) => people > 0)).toBe(true);
    for (const { name, people, reach, drop } of screens) {
      const left = reach > 0 ? `, ${share(drop / reach)} left there` : '';
      await expect
        .poll(() => step(`Screen ${name}`).getAttribute('aria-label'))
        .toContain(`. ${people.toLocaleString('en')} ${people === 1 ? 'user' : 'users'} reached it${left}. `);
      await step(`Screen ${name}`).getByText(people.toLocaleString('en'), { exact: true }).waitFor();
    }
    const all = new Map<string, number>();
    for (const { node, runs } of decisions) all.set(node, (all.get(node) ?? 0) + runs);
    const taken = decisions.filter(({ node, runs }) => runs > 0 && all.get(node)! > 0);
    expect(taken.length).toBeGreaterThan(0);
    for (const { node, runs } of taken)
      expect(
        await graphOf(page)
          .getByLabel(new RegExp(`, ${share(runs / all.get(node)!)} of runs$`))
          .count(),
      ).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Fit', exact: true }).click();
    await settled(page);
    expect([colorScheme, await violations(page)]).toEqual([colorScheme, []]);
  }
  await page.getByRole('button', { name: 'Add a screen' }).click();
  await page.keyboard.press('Escape');
  await expect
    .poll(() =>
      graphOf(page)
        .getByLabel(/\. New since the version\. /)
        .count(),
    )
    .toBe(1);
  await page.getByRole('button', { name: /^Undo: Add/ }).click();
  await numbers().press('Space');
  await expect.poll(() => step('Screen Goal').getAttribute('aria-label')).not.toMatch(/reached it/);
});

test('the simulator stands beside the numbers, and says shares of the draft', async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await openGraph('Welcome');
    if (!(await numbers().isChecked())) await numbers().press('Space');
    await page.getByRole('switch', { name: 'Simulated' }).press('Space');
    await said()
      .getByText(/^[\d,]+ runs/)
      .waitFor();
    await expect.poll(() => step('Screen Goal').getAttribute('aria-label')).toMatch(/Simulated: \d+(\.\d)?% → \d/);
    await page.getByRole('button', { name: 'Fit', exact: true }).click();
    await settled(page);
    expect([colorScheme, await violations(page)]).toEqual([colorScheme, []]);
  }
  await numbers().press('Space');
});

type Simulated = {
  steps: { id: string; name: string; users: number }[];
  ways: { from: string; kind: string; node: string; to: string; users: number }[];
};
/** What recorded runs do in the draft of a flow and in its newest version. */
async function simulated(flow: string): Promise<{ draft: Simulated; published: Simulated }> {
  const simulated = 'steps { id name users } ways { from kind node to users }';
  return (
    await server.ask<{ simulateDraft: { draft: Simulated; published: Simulated } }>(
      `query ($flow: ID!) { simulateDraft(flowId: $flow, environment: LIVE) {
         draft { ${simulated} } published { ${simulated} } } }`,
      { flow },
    )
  ).simulateDraft;
}
/** The share of the users of a step who go on from it as the screen says. */
function onwards({ steps, ways }: Simulated, name: string): string {
  const { id, users } = steps.find((one) => one.name === name)!;
  return share(ways.find(({ from, kind }) => from === id && kind === 'NEXT')!.users / users);
}
const way = (words: string) => graphOf(page).getByLabel(new RegExp(`^${words}\\b`));

test('ways have the share of people of the draft beside that of the version, as the simulator has them', async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await openGraph('Welcome');
  const flow = await flowCalled('Welcome');
  if (!(await numbers().isChecked())) await numbers().press('Space');
  await page.getByRole('switch', { name: 'Simulated' }).press('Space');
  await way('Light, Next, to Watering. Simulated').waitFor();
  const before = onwards((await simulated(flow)).published, 'Light');
  await expect.poll(() => way('Light, Next').textContent()).toBe(`${before} `);

  await step('Screen Welcome').focus();
  await page.keyboard.press('Space');
  const next = page.getByRole('region', { name: 'Connections from Welcome' }).getByRole('combobox', { name: 'Next' });
  await next.fill('Light');
  await page.getByRole('listbox', { name: 'Next' }).getByText('Light', { exact: true }).click();
  await leads('Screen Welcome', /\. Next leads to Light/);
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Simulate again' }).click();
  const after = onwards((await simulated(flow)).draft, 'Light');
  expect(after).not.toBe(before);
  await expect.poll(() => way('Light, Next').textContent()).toBe(`${after} was ${before}`);
  expect(await way('Light, Next').getAttribute('aria-label')).toContain(`Simulated: ${before} → ${after} of users`);
  // Nobody comes to it, so there is no share to tell; what was recorded is not the draft's.
  expect(await way('Goal, Next').textContent()).toBe('');
  await undo('Lead “Next” of “Welcome” to “Light”').click();
  await numbers().press('Space');
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
});

test('without a version, users or an answer the graph says so', async () => {
  const { createFlow } = await server.ask<{ createFlow: { id: string } }>(
    'mutation ($app: ID!) { createFlow(input: {appId: $app, name: "Unpublished"}) { id } }',
    { app: server.apps[0]!.id },
  );
  await open(`flows/${createFlow.id}/edit?mode=graph`);
  await page.getByRole('button', { name: 'Blank screen' }).click();
  await page.getByRole('heading', { name: 'Screen 1' }).waitFor();
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  await open(`flows/${createFlow.id}/edit?mode=graph`);
  await numbers().press('Space');
  await said().getByText('No version published yet').waitFor();

  const failed = {
    data: { flowAnalytics: { funnel: null } },
    errors: [
      { message: 'internal', path: ['flowAnalytics', 'funnel'], extensions: { code: 'internal', requestId: 'r1' } },
    ],
  };
  const fail = '**/graphql*';
  await page.route(fail, (route) =>
    route.request().postData()?.includes('StepNumbers') ? route.fulfill({ json: failed }) : route.fallback(),
  );
  await openGraph('Welcome');
  await said()
    .getByText(/^Numbers could not be loaded\./)
    .waitFor();
  await page.unroute(fail);
  await page.getByRole('button', { name: 'Try again' }).click();
  await said()
    .getByText(/Last 28 days$/)
    .waitFor();

  const test = `${server.baseUrl}/apps/${server.apps[0]!.id}/test/flows/${await flowCalled('Welcome')}/edit?mode=graph`;
  await page.goto(test);
  await said()
    .getByText(/No users in the last 28 days$/)
    .waitFor();
});

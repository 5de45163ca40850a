import { expect, test } from 'vitest';
import { somebody } from './people';
import { addressOf, open, page, server, suite, visitor } from './suite';
import { violations } from './visitor';

suite();

const press = async (...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};
const dialog = () => page.getByRole('dialog');
const countOf = (rules: object) =>
  server
    .ask<{ app: { segmentEstimate: number } }>(
      `query ($app: ID!, $rules: SegmentRulesInput!) { app(id: $app) { segmentEstimate(rules: $rules) } }`,
      { app: server.apps[0]!.id, rules },
    )
    .then(({ app }) => app.segmentEstimate);
const shown = async () => Number((await dialog().locator('output strong').innerText()).replaceAll(',', ''));

test('a segment is made by keys from an empty picker, and the report is that of its users', async () => {
  await open('home?range=30d');
  await page.getByRole('button', { name: 'All users' }).focus();
  await press('Enter');
  await page.getByRole('button', { name: 'New segment' }).focus();
  await press('Enter');
  await dialog().getByRole('textbox', { name: 'Name' }).waitFor();
  await expect
    .poll(() =>
      dialog()
        .getByRole('textbox', { name: 'Name' })
        .evaluate((e) => e === document.activeElement),
    )
    .toBe(true);
  await page.keyboard.type('Waterers');
  await dialog().getByRole('button', { name: 'Condition', exact: true }).focus();
  await press('Enter');
  await dialog().getByText('Event needs a value').waitFor();
  expect(await dialog().getByRole('button', { name: 'Create segment' }).isDisabled()).toBe(true);
  await dialog().getByRole('combobox', { name: 'Name of the event' }).focus();
  await page.keyboard.type('plant_wat');
  await page.getByRole('option', { name: 'plant_watered' }).waitFor();
  await press('ArrowDown', 'Enter');
  await dialog().getByText('Users who did “plant_watered”.').waitFor();
  const did = await countOf({ where: { event: { name: 'plant_watered' } } });
  expect(did).toBeGreaterThan(0);
  await expect.poll(shown).toBe(did);
  expect(await violations(page)).toEqual([]);

  // A second condition narrows it while it is typed.
  await dialog().getByRole('button', { name: 'Condition', exact: true }).focus();
  await press('Enter');
  const second = dialog()
    .getByRole('group', { name: /^Users/ })
    .last();
  await second.getByRole('combobox', { name: 'What' }).selectOption({ label: 'First country' });
  await second
    .getByRole('combobox', { name: 'Value' })
    .or(second.getByRole('textbox', { name: 'Value' }))
    .first()
    .focus();
  await page.keyboard.type('Germ');
  await page.getByRole('option', { name: 'Germany' }).waitFor();
  await press('ArrowDown', 'Enter');
  await press('Escape');
  const rules = {
    where: {
      all: [{ event: { name: 'plant_watered' } }, { person: { field: 'FIRST_COUNTRY', op: 'IS', texts: ['DE'] } }],
    },
  };
  const both = await countOf(rules);
  expect(both).toBeLessThan(did);
  await expect.poll(shown).toBe(both);
  await dialog().getByRole('button', { name: 'Create segment' }).focus();
  await press('Enter');
  await page.waitForURL(/segment=/);
  await page.getByRole('button', { name: 'Waterers' }).waitFor();
  const segment = new URL(page.url()).searchParams.get('segment');
  const { segment: stored } = await server.ask<{ segment: { rules: unknown; estimate: number } }>(
    `query ($id: ID!) { segment(id: $id) { rules estimate } }`,
    { id: segment },
  );
  expect(stored.estimate).toBe(both);

  // It is explained where it is picked, changed, and deleted.
  await page.getByRole('button', { name: 'Waterers' }).click();
  await page.getByText('Users who did “plant_watered” and whose first country is Germany.').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Edit “Waterers”' }).click();
  await dialog().getByRole('combobox', { name: 'All or any of these' }).selectOption('any');
  await dialog().getByText('or whose first country is Germany').waitFor();
  await dialog().getByRole('button', { name: 'Save segment' }).click();
  await dialog().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Waterers' }).click();
  await page.getByText('Users who did “plant_watered” or whose first country is Germany.').waitFor();
  await page.getByRole('button', { name: 'Edit “Waterers”' }).click();
  await dialog().getByRole('button', { name: 'Delete…' }).click();
  await dialog().getByRole('button', { name: 'Delete for all members' }).click();
  await page.waitForURL((url) => !url.searchParams.has('segment'));
});

test('filters become a segment, which a link applies', async () => {
  await open('acquisition?range=30d&f=is,country,DE&platform=web');
  await page.getByRole('button', { name: 'All users' }).click();
  await page.getByRole('button', { name: 'From these filters' }).click();
  await dialog().getByText('Country is Germany', { exact: true }).waitFor();
  await dialog().getByRole('button', { name: 'Remove: Platform is Web' }).click();
  await dialog()
    .getByText(/^Users with a visit in the last 90 days where Country is Germany\.$/)
    .waitFor();
  await expect.poll(shown).toBe(await countOf({ cross: { country: { op: 'IS', values: ['DE'] } } }));
  await dialog().getByRole('textbox', { name: 'Name' }).fill('Germans');
  await dialog().getByRole('button', { name: 'Create segment' }).click();
  await page.waitForURL(/segment=/);
  expect(new URL(page.url()).searchParams.getAll('f')).toEqual([]);
  expect(new URL(page.url()).searchParams.getAll('sf')).toEqual(['is,country,DE']);
  await page.reload();
  await page.getByRole('button', { name: 'Germans' }).waitFor();
});

test('an experiment’s variant becomes a segment', async () => {
  const { app } = await server.ask<{ app: { experiments: { nodes: { id: string; status: string }[] } } }>(
    `query ($app: ID!) { app(id: $app) { experiments(first: 50) { nodes { id status } } } }`,
    { app: server.apps[0]!.id },
  );
  const running = app.experiments.nodes.find(({ status }) => status !== 'DRAFT')!;
  await open(`experiments/${running.id}`);
  await page
    .getByRole('button', { name: /^Create segment of / })
    .first()
    .click();
  await dialog()
    .getByText(/^Users who started any flow as variant /)
    .waitFor();
  await expect.poll(shown).toBeGreaterThan(0);
  expect(await violations(page)).toEqual([]);
  await dialog().getByRole('button', { name: 'Create segment' }).click();
  await page.waitForURL(/home\?.*segment=/);
});

test('a viewer picks segments, and is not offered to make one', async () => {
  const viewer = await somebody(visitor, 'VIEWER');
  await viewer.page.goto(addressOf('home?f=is,country,DE'));
  await viewer.page.getByRole('button', { name: 'All users' }).click();
  await viewer.page.getByRole('list', { name: 'Segments' }).waitFor();
  expect(await viewer.page.getByRole('button', { name: /New segment|From these filters|Edit “/ }).count()).toBe(0);
});

import { expect, test } from 'vitest';
import { draftExperiment } from './drafts';
import { open, page, server, suite } from './suite';

suite();

/** The goals that an experiment measures, the one that decides first. */
async function measured(id: string): Promise<string[]> {
  type Found = { experiment: { goals: { primary: boolean; goal: { name: string } }[] } };
  const { experiment } = await server.ask<Found>(
    'query ($id: ID!) { experiment(id: $id) { goals { primary goal { name } } } }',
    { id },
  );
  return experiment.goals.map(({ primary, goal }) => `${goal.name}${primary ? ' decides' : ''}`);
}

test('a goal decides an experiment, others are measured besides, and the start freezes the one that decides', async () => {
  const app = server.apps[0]!.id;
  for (const name of ['<b>Bought</b>', 'Shared'])
    await server.ask('mutation ($input: CreateGoalInput!) { createGoal(input: $input) { id } }', {
      input: { appId: app, name, condition: { event: { name: name.length > 6 ? 'plant_bought' : 'plant_shared' } } },
    });
  const id = await draftExperiment('Does a goal decide?', 'Reminders');
  await open(`experiments/${id}`);

  const primary = page.getByRole('combobox', { name: 'Primary metric' });
  await primary.click();
  await page.getByRole('option', { name: 'First plant' }).click();
  await expect.poll(() => measured(id)).toEqual(['First plant decides']);
  await page.getByText(/at a conversion rate of/).waitFor();
  const besides = page.getByRole('combobox', { name: 'Secondary goals' });
  await besides.click();
  await page.getByRole('option', { name: '<b>Bought</b>' }).click();
  expect(await page.getByRole('option', { name: 'First plant' }).count()).toBe(0);
  await expect.poll(() => measured(id)).toEqual(['First plant decides', '<b>Bought</b>']);
  await page.keyboard.press('Escape');

  // What becomes primary is no longer secondary.
  await primary.click();
  await page.getByRole('option', { name: '<b>Bought</b>' }).click();
  await expect.poll(() => measured(id)).toEqual(['<b>Bought</b> decides']);
  await primary.click();
  await page.getByRole('option', { name: 'Completed flow' }).click();
  await expect.poll(() => measured(id)).toEqual([]);
  await primary.click();
  await page.getByRole('option', { name: 'First plant' }).click();
  await expect.poll(() => measured(id)).toEqual(['First plant decides']);

  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByRole('button', { name: 'Start experiment' }).click();
  await page.getByRole('heading', { name: 'First plant' }).waitFor();
  await page.getByText('Primary metric').waitFor();
  await page.getByRole('button', { name: 'Choose goals' }).click();
  await besides.waitFor();
  expect(await primary.count()).toBe(0);
  await besides.click();
  await page.getByRole('option', { name: 'Shared' }).click();
  await expect.poll(() => measured(id)).toEqual(['First plant decides', 'Shared']);
  const table = page.getByRole('region', { name: 'Other metrics' });
  await table.getByRole('rowheader', { name: 'Shared' }).waitFor();
  await page.keyboard.press('Backspace');
  await expect.poll(() => measured(id)).toEqual(['First plant decides']);
  await table.getByRole('rowheader', { name: 'Shared' }).waitFor({ state: 'detached' });

  // No heading of a group stands without a row below it.
  const groups = table.locator('tbody');
  expect(await groups.count()).toBeGreaterThan(0);
  for (const group of await groups.all()) expect(await group.getByRole('row').count()).toBeGreaterThan(1);
});

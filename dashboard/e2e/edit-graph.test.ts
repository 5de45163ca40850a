import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { flowCalled, open, page, suite } from './suite';
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

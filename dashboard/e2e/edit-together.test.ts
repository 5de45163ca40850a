import type { FrameLocator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { somebody } from './people';
import { addressOf, flowCalled, open, page, suite, visitor } from './suite';

suite();

const canvasOf = (at: Page): FrameLocator => at.frameLocator('iframe[title="Screens of the flow"]');

/** Gives the selected layer a size in the inspector. */
async function resize(at: Page, size: string): Promise<void> {
  const field = at.getByLabel('Size', { exact: true });
  await field.fill(size);
  await field.press('Enter');
}

test('what one does is on the canvas of the other at once, both ways', async () => {
  const flow = await flowCalled('Reminders');
  const ben = await somebody(visitor, 'EDITOR');
  await open(`flows/${flow}/edit`);
  const text = canvasOf(page).locator('span[data-layer]').first();
  const id = (await text.getAttribute('data-layer'))!;
  await Promise.all([
    open(`flows/${flow}/edit?layer=${id}`),
    ben.page.goto(addressOf(`flows/${flow}/edit?layer=${id}`)),
  ]);
  const sizeAt = (at: Page) =>
    canvasOf(at)
      .locator(`[data-layer="${id}"]`)
      .first()
      .evaluate((element) => getComputedStyle(element).fontSize);
  await resize(page, '31');
  await expect.poll(() => sizeAt(ben.page)).toBe('31px');
  await resize(ben.page, '33');
  await expect.poll(() => sizeAt(page)).toBe('33px');
  // Undo takes back one's own, and nothing of the other.
  await ben.page.getByRole('button', { name: /^Undo: / }).click();
  await expect.poll(() => sizeAt(page)).toBe('31px');
});

test('a problem that the other makes, or takes away, is told without an edit of one’s own', async () => {
  const flow = await flowCalled('Welcome');
  const ben = await somebody(visitor, 'EDITOR');
  await Promise.all([open(`flows/${flow}/edit`), ben.page.goto(addressOf(`flows/${flow}/edit`))]);
  const told = (words: RegExp) => page.getByRole('button', { name: words }).waitFor();
  await told(/^Problems: (none|\d+ warnings?)$/);
  await ben.page.getByRole('treeitem', { name: /^Plants that outlive/ }).click();
  await ben.page
    .getByRole('complementary', { name: 'Properties' })
    .getByRole('button', { name: 'Reset Color', exact: true })
    .click();
  await told(/^Problems: 1 error/);
  await ben.page.getByRole('button', { name: /^Undo: / }).click();
  await told(/^Problems: (none|\d+ warnings?)$/);
});

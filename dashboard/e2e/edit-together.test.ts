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

import type { FrameLocator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { somebody } from './people';
import { addressOf, flowCalled, open, page, suite, visitor } from './suite';
import { violations } from './visitor';

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

const pointerAt = (at: Page) => at.locator('[data-person]');
const screenshots = process.env.E2E_SCREENSHOTS;

test('who else is there is seen: in the bar, around what they have selected, and by their pointer', async () => {
  const flow = await flowCalled('Reminders');
  const ben = await somebody(visitor, 'EDITOR');
  await open(`flows/${flow}/edit`);
  const id = (await canvasOf(page).locator('span[data-layer]').first().getAttribute('data-layer'))!;
  await ben.page.goto(addressOf(`flows/${flow}/edit?layer=${id}`));
  const here = page.getByRole('list', { name: 'Also here' });
  await here.getByText('Somebody').waitFor();
  await page.locator('[data-other]').getByText('Somebody').waitFor();
  await page.getByRole('treeitem', { name: 'selected by Somebody' }).waitFor();
  expect(await violations(page)).toEqual([]);

  // The pointer stands at the same place of the screen, at whatever zoom.
  const layer = (at: Page) => canvasOf(at).locator(`[data-layer="${id}"]`).first();
  await ben.page.getByRole('list', { name: 'Also here' }).waitFor();
  const theirs = (await layer(ben.page).boundingBox())!;
  const mine = async () => (await layer(page).boundingBox())!;
  await page.keyboard.press('Control+1');
  const point = { x: theirs.x + theirs.width / 2, y: theirs.y + theirs.height / 2 };
  await ben.page.mouse.move(point.x, point.y, { steps: 5 });
  await expect
    .poll(async () => {
      const [box, arrow] = [await mine(), await pointerAt(page).boundingBox()];
      return arrow && Math.hypot(arrow.x - box.x - box.width / 2, arrow.y - box.y - box.height / 2) < 4;
    })
    .toBe(true);
  if (screenshots) await page.screenshot({ path: `${screenshots}/together.png` });
  await ben.page.mouse.move(5, 5);
  await expect.poll(() => pointerAt(page).count()).toBe(0);

  await ben.page.close();
  await expect.poll(() => here.count()).toBe(0);
  expect(await page.locator('[data-other]').count()).toBe(0);
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

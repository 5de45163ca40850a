import type { FrameLocator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { addressOf, another, enter, flowCalled, open, page, suite } from './suite';
import { settled, violations } from './visitor';

suite();

const title = 'Plants that outlive your good intentions';
const drawer = (at: Page) => at.getByRole('dialog', { name: 'Preview', exact: true });
const running = (at: Page): FrameLocator => at.frameLocator('iframe[title="The flow, running"]');
const button = (at: Page) => at.getByRole('button', { name: 'Preview', exact: true });
const hasFocus = (at: Page) => button(at).evaluate((one) => one === document.activeElement);

/** Opens the preview of the flow that every test looks at. */
async function previewed(): Promise<void> {
  await open(`flows/${await flowCalled('Welcome')}/edit`);
  await button(page).click();
  await running(page).getByText(title).waitFor();
}

test('the draft runs beside the editor, shows an edit where it stands, and sends nothing', async () => {
  const sent: string[] = [];
  page.on('request', (request) => request.url().includes('/v1/') && sent.push(request.url()));
  await previewed();
  await running(page).getByRole('button', { name: 'Find my plan' }).click();
  await running(page).getByText('What brings you here?').waitFor();
  await running(page).getByText('Keep my plants alive').click();
  await running(page).getByText('What brings you here?').waitFor({ state: 'detached' });
  await running(page).getByRole('button', { name: 'Back' }).click();
  await running(page).getByText('What brings you here?').waitFor();

  await page.getByRole('link', { name: 'Goal', exact: true }).click();
  await page.getByRole('treeitem', { name: /^What brings you here/ }).click();
  const field = page.getByRole('textbox', { name: 'Text', exact: true }).first();
  await field.fill('What are plants to you?');
  await running(page).getByText('What are plants to you?').waitFor();
  await page.getByRole('button', { name: /^Undo: / }).click();
  await running(page).getByText('What brings you here?').waitFor();

  await drawer(page).getByRole('button', { name: 'Restart' }).click();
  await running(page).getByText(title).waitFor();
  await drawer(page).getByRole('button', { name: 'From here' }).click();
  await running(page).getByText('What brings you here?').waitFor();
  expect(sent).toEqual([]);
});

test('the preview goes on in a window of its own, which follows edits and is nobody to others', async () => {
  await previewed();
  await drawer(page).getByRole('button', { name: 'Options' }).click();
  await drawer(page).getByText('Dark', { exact: true }).click();
  const [own] = await Promise.all([
    page.waitForEvent('popup'),
    drawer(page).getByRole('button', { name: 'Open in a new window' }).click(),
  ]);
  await drawer(page).waitFor({ state: 'detached' });
  await running(own).getByText(title).waitFor();
  expect(new URL(own.url()).pathname).toMatch(/\/flows\/[\w-]+\/preview$/);
  expect(await own.getByRole('radio', { name: 'Dark' }).isChecked()).toBe(true);
  await running(own).getByRole('button', { name: 'Find my plan' }).click();
  await running(own).getByText('What brings you here?').waitFor();
  await own.getByRole('region', { name: 'Path', exact: true }).getByText('Goal').first().waitFor();

  await page.getByRole('link', { name: 'Goal', exact: true }).click();
  await page.getByRole('treeitem', { name: /^What brings you here/ }).click();
  await page.getByRole('textbox', { name: 'Text', exact: true }).first().fill('What are plants to you?');
  await running(own).getByText('What are plants to you?').waitFor();
  await page.getByRole('button', { name: /^Undo: / }).click();
  await running(own).getByText('What brings you here?').waitFor();
  expect(await page.getByRole('list', { name: 'Also here' }).count()).toBe(0);
  expect(await violations(own)).toEqual([]);
  await own.close();
});

test('beside a run stand its path with reasons, its answers and the events that an app would send', async () => {
  // Narrower windows leave the canvas its room, and open what a run did when asked.
  await page.setViewportSize({ width: 1920, height: 1080 });
  await previewed();
  const log = (name: string) => drawer(page).getByRole('region', { name, exact: true });
  await running(page).getByRole('button', { name: 'Find my plan' }).click();
  await running(page).getByText('Rescue one that struggles').click();
  await running(page).getByText('What do you see?').waitFor();
  const steps = () => log('Path').getByRole('listitem').locator('b').allTextContents();
  await expect.poll(steps).toEqual(['Welcome', 'Goal', 'Symptoms']);
  await log('Path').getByText('Goal: Rescue one that struggles').waitFor();
  // The phone's corner is where it was, whatever had the focus in it.
  expect(await running(page).locator('body').boundingBox()).toMatchObject(
    await page.getByTitle('The flow, running').evaluate((frame) => {
      const { x, y } = frame.parentElement!.getBoundingClientRect();
      return { x, y };
    }),
  );
  await drawer(page).getByText('Answers', { exact: true }).click();
  await log('Answers').getByText('Rescue one that struggles').waitFor();
  await drawer(page).getByText('Events', { exact: true }).click();
  await log('Events').getByText('choice_selected', { exact: true }).click();
  await log('Events').getByText('"field_key"').waitFor();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  expect(await violations(page)).toEqual([]);

  await drawer(page).getByRole('button', { name: 'Options' }).click();
  await drawer(page).getByRole('button', { name: 'User' }).click();
  await page.getByRole('combobox', { name: 'When asked for a permission' }).waitFor();
  expect(await violations(page)).toEqual([]);
  // Events happen when the clock of the device says.
  await page.getByLabel('Clock', { exact: true }).fill('2031-05-06T07:08');
  if (process.env.E2E_PICTURES) await page.screenshot({ path: `${process.env.E2E_PICTURES}/preview-user.png` });
  await page.keyboard.press('Escape');
  await page.getByRole('combobox', { name: 'When asked for a permission' }).waitFor({ state: 'detached' });
  await drawer(page).getByRole('button', { name: 'Restart' }).click();
  await log('Events')
    .getByText(/"2031-05-0[5-7]T/)
    .first()
    .waitFor({ state: 'attached' });
  await drawer(page).getByRole('button', { name: 'Details' }).click();
  await log('Events').waitFor({ state: 'detached' });
});

test('it is opened and closed by keys, gives the focus back, and has no barriers', async () => {
  await previewed();
  await expect.poll(() => drawer(page).evaluate((one) => one.contains(document.activeElement))).toBe(true);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.mantineColorScheme)).toBe(colorScheme);
    await settled(page);
    expect(await violations(page)).toEqual([]);
  }
  await page.keyboard.press('Escape');
  await drawer(page).waitFor({ state: 'detached' });
  await expect.poll(() => hasFocus(page)).toBe(true);
  await page.keyboard.press('p');
  await running(page).getByText(title).waitFor();
  // The frame has the focus, and Escape leaves it all the same.
  await running(page).getByRole('button', { name: 'Find my plan' }).focus();
  await page.keyboard.press('Escape');
  await drawer(page).waitFor({ state: 'detached' });
  await expect.poll(() => hasFocus(page)).toBe(true);
});

test('a link and its QR code run the draft in an app', async () => {
  await previewed();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await drawer(page).getByRole('button', { name: 'Options' }).click();
  await drawer(page).getByRole('button', { name: 'On a phone' }).click();
  await page.getByRole('textbox', { name: 'Address of your app' }).fill('https://example.com/start');
  await page.getByRole('img', { name: 'QR code of the link' }).waitFor();
  await page.getByText(/^https:\/\/example\.com\/start\?svc\.preview=[\w.-]+$/).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('img', { name: 'QR code of the link' }).waitFor({ state: 'detached' });
  await drawer(page).waitFor();
});

test('on a phone it has the whole window', async () => {
  const phone = await another({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await enter(phone.page);
  await phone.page.emulateMedia({ reducedMotion: 'reduce' });
  await phone.page.goto(addressOf(`flows/${await flowCalled('Welcome')}/edit`));
  await button(phone.page).tap();
  await running(phone.page).getByRole('button', { name: 'Find my plan' }).tap();
  await running(phone.page).getByText('What brings you here?').waitFor();
  expect((await drawer(phone.page).boundingBox())!.width).toBe(390);
  expect(await violations(phone.page)).toEqual([]);
  await drawer(phone.page).getByRole('button', { name: 'Close the preview' }).tap();
  await drawer(phone.page).waitFor({ state: 'detached' });
});

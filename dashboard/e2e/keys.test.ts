import { expect, test } from 'vitest';
import { pages } from '../src/app/navigation/pages';
import { periodNames, periods } from '../src/scope/range';
import { open, page, server, suite, visitor } from './suite';
import { settled, violations } from './visitor';

suite();

/** The address's part of the scope. */
const asked = (name: string) => new URL(page.url()).searchParams.get(name);

/** Where the focus is: the part of the page, and the name of what has it. */
const focus = () =>
  page.evaluate(() => {
    const at = document.activeElement!;
    const part = at.closest('[role=dialog], header, nav, main')?.tagName.toLowerCase() ?? 'page';
    const label = at instanceof HTMLInputElement ? at.labels?.[0] : undefined;
    return { part, name: (at.getAttribute('aria-label') ?? (label ?? at).textContent ?? '').trim() };
  });

test('every range has its key, and the arrows go to the ranges beside it', async () => {
  await open('acquisition?range=all');
  await settled(page);
  for (const period of periods.filter((period) => period !== 'custom')) {
    await page.keyboard.press(periodNames[period].key!);
    await expect.poll(() => asked('range') ?? '7d').toBe(period);
  }
  await page.keyboard.press('w');
  await expect.poll(() => asked('range') ?? '7d').toBe('7d');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => asked('range')).toBe('custom');
  const [from, to] = [asked('from')!, asked('to')!];
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => asked('from')! < from && asked('to')! < from).toBe(true);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => [asked('from'), asked('to')]).toEqual([from, to]);
  await page.keyboard.press('c');
  await page.getByLabel('From', { exact: true }).fill('2026-01-05');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect.poll(() => asked('from')).toBe('2026-01-05');
});

test('a key goes through the buckets that a range can have', async () => {
  await open('home?range=28d');
  await settled(page);
  for (const grain of ['week', 'day', 'week']) {
    await page.keyboard.press('i');
    await expect.poll(() => asked('grain')).toBe(grain);
  }
});

test('every page has its keys', async () => {
  await open('live');
  await settled(page);
  for (const { to, key } of pages) {
    // On a busy machine the second key may come later than a pair allows: then somebody presses both again.
    const there = async () => {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      return new URL(page.url()).pathname;
    };
    await expect.poll(there).toMatch(new RegExp(`/${to.split('/').at(-1)}$`));
    await page.getByRole('heading', { level: 1 }).waitFor();
  }
});

test('keys compare and take filters away, and are letters where somebody types', async () => {
  await open('acquisition?f=is,country,DE&f=is,device,mobile');
  await settled(page);
  await page.keyboard.press('x');
  await expect.poll(() => asked('compare')).toBe('none');
  await page.keyboard.press('x');
  await expect.poll(() => asked('compare')).toBeNull();
  const filters = () => new URL(page.url()).searchParams.getAll('f');
  await page.keyboard.press('Backspace');
  await expect.poll(filters).toEqual(['is,country,DE']);

  const search = page.getByLabel('Search rows');
  await search.focus();
  await page.keyboard.type('d e');
  await page.keyboard.press('Backspace');
  await expect.poll(() => asked('q')).toBe('d');
  expect(asked('range')).toBeNull();
  expect(filters()).toEqual(['is,country,DE']);
  await search.fill('');
  await search.blur();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('d');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(asked('range')).toBeNull();
  expect(filters()).toEqual(['is,country,DE']);
  await page.keyboard.press('Escape');
  await expect.poll(filters).toEqual([]);
});

test('the focus goes through a page as the eye does, and the first stop leads past what is on every page', async () => {
  await open('home');
  await settled(page);
  await page.keyboard.press('Tab');
  expect((await focus()).name).toBe('Skip to content');
  const parts = ['page'];
  const names: string[] = [];
  for (let i = 0; i < 60 && parts.at(-1) !== 'main'; i++) {
    await page.keyboard.press('Tab');
    const { part, name } = await focus();
    if (part !== parts.at(-1)) parts.push(part);
    if (part === 'nav') names.push(name);
    expect([part, name]).not.toEqual([part, '']);
  }
  expect(parts).toEqual(['page', 'header', 'nav', 'main']);
  expect(names.slice(0, pages.length)).toEqual(pages.map(({ name }) => name));

  await page.reload();
  await settled(page);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect((await focus()).part).toBe('main');
});

test('what opens takes the focus, and gives it back', async () => {
  await open('acquisition');
  await settled(page);
  for (const name of ['Filter', 'All users', 'Saved views', 'Last 7 days', 'Explain Channel', 'Search or jump to']) {
    const opener = page.getByRole('button', { name }).first();
    await opener.focus();
    await page.keyboard.press('Enter');
    const layer = page.locator('[role=dialog]:visible, [role=menu]:visible').last();
    await layer.waitFor();
    await expect
      .poll(() => layer.evaluate((layer) => layer.contains(document.activeElement)), { message: name })
      .toBe(true);
    await page.keyboard.press('Escape');
    await layer.waitFor({ state: 'detached' });
    await expect
      .poll(() => opener.evaluate((opener) => opener === document.activeElement), { message: name })
      .toBe(true);
  }
});

test('a word leads to the documentation, whose samples have the reader’s own app and keys', async () => {
  await open('experiments');
  await settled(page);
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Search pages and actions' }).fill('publishable key');
  const [found] = await Promise.all([
    visitor.context.waitForEvent('page'),
    page.getByRole('option', { name: 'Search the documentation for “publishable key”' }).click(),
  ]);
  await found.getByRole('link', { name: 'REST for client SDKs' }).last().click();
  await found.getByRole('heading', { level: 1, name: 'REST for client SDKs' }).waitFor();
  const sample = found.locator('pre').first();
  await expect.poll(() => sample.textContent()).toMatch(/KEY=ob_pk_live_\w+ CHANNEL=ch_live_\w+/);
  expect(await sample.textContent()).toContain(`${server.baseUrl}/v1/sdk/resolve`);
  expect(await violations(found)).toEqual([]);

  await page.getByRole('button', { name: /^Account of/ }).click();
  const [explained] = await Promise.all([
    visitor.context.waitForEvent('page'),
    page.getByRole('menuitem', { name: 'Documentation of this page' }).click(),
  ]);
  await explained.getByRole('heading', { level: 1, name: 'Experiments' }).waitFor();
});

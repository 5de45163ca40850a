import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { open, page, sendAsApp, suite } from './suite';
import { violations } from './visitor';

suite();

test('a thousand people scroll, and only those in sight are drawn', async () => {
  await open('visitors?range=12mo&rows=1000');
  const table = page.locator('table');
  await table.locator('tbody tr').first().waitFor();
  const total = Number((await table.getAttribute('aria-rowcount')) ?? 0) - 1;
  expect(total).toBeGreaterThan(300);
  expect(await table.locator('tbody tr').count()).toBeLessThan(100);
  await page.getByRole('region', { name: 'Visitor' }).evaluate((scroller) => scroller.scrollTo(0, 1e6));
  await page.locator(`tr[aria-rowindex="${total + 1}"]`).waitFor();
});

test('visitors and users are people: no ids, no bars, and where and by what they came', async () => {
  for (const [path, name] of [
    ['visitors?rows=200', 'Visitor'],
    ['people', 'User'],
  ] as const) {
    await open(path);
    const table = page.getByRole('region', { name });
    await table.locator('tbody tr').first().waitFor();
    expect(await table.locator('[class*="bar"]').count()).toBe(0);
    expect(await table.textContent()).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
    expect(await table.getByText('Germany').count()).toBeGreaterThan(0);
    expect(await violations(page)).toEqual([]);
  }
  await open('visitors');
  const row = page
    .getByRole('region', { name: 'Visitor' })
    .getByRole('button', { name: /^[A-Z][a-z]+ [A-Z][a-z]+ [0-9a-f]{4}/ })
    .first();
  const handle = await row.locator('b').textContent();
  await row.click();
  const drawer = page.getByRole('dialog', { name: handle! });
  await drawer.locator('code').waitFor();
  const device = (await drawer.locator('code').textContent())!;
  expect(device.endsWith(handle!.split(' ').at(-1)!)).toBe(true);
  await open(`people/person?device=${device}`);
  await page.getByRole('heading', { level: 1, name: handle! }).waitFor();
});

test('a person is found by email, shows who they are, is exported, and erased only under their name', async () => {
  const custom = 'reader-of-plants';
  const email = 'ada@plants.example';
  const identified = await sendAsApp('identify', {
    appUserId: 'device-of-ada',
    customUserId: custom,
    email,
    marketingConsent: 'granted',
    firstName: 'Ada',
  });
  expect(identified.status).toBe(200);
  await open('people');
  await page.getByLabel('Device ID, user ID or email starts with').fill('ada@');
  await page.waitForURL(/q=ada%40|q=ada@/);
  await page.getByRole('link', { name: 'Ada' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ada' }).waitFor();
  await page.getByText('device-of-ada').waitFor();
  await page.getByText('granted', { exact: true }).first().waitFor();
  expect(await violations(page)).toEqual([]);
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export all data' }).click();
  expect(readFileSync(await (await waiting).path(), 'utf8')).toContain(email);
  await page.getByRole('button', { name: 'Erase…' }).click();
  const erase = page.getByRole('button', { name: 'Erase permanently' });
  expect(await erase.isDisabled()).toBe(true);
  await page.getByLabel('User id').fill(custom);
  await erase.click();
  await page.getByRole('status').filter({ hasText: 'rased' }).waitFor();
  await open('people?q=ada@');
  await page.getByText('No user’s id or email starts with “ada@”').waitFor();
});

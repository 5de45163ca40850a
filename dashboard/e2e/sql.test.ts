import { expect, test } from 'vitest';
import { open, page, server, suite } from './suite';
import { violations } from './visitor';

suite();

test('a login of the database is made for an app, shown once, changed and revoked', async () => {
  await open('settings?tab=sql');
  await page.getByText('No logins yet').waitFor();
  await page.getByRole('combobox', { name: 'Data that the login reads' }).click();
  await page.getByRole('option', { name: `${server.apps[0]!.name}, test` }).click();
  await page.getByRole('button', { name: 'Create login' }).click();
  const shown = page.getByRole('status').locator('code');
  const first = (await shown.textContent())!;
  expect(first).toMatch(/^postgresql:\/\/svc_sql_\w+:\w+@/);
  expect(await violations(page)).toEqual([]);
  await page.reload();
  const row = page.getByRole('listitem').filter({ hasText: `${server.apps[0]!.name}, test` });
  await row.getByText(new URL(first).username).waitFor();
  expect(await page.content()).not.toContain(new URL(first).password);

  await row.getByRole('button', { name: 'Change password' }).click();
  await row.getByRole('button', { name: /The old password stops working/ }).click();
  await expect.poll(() => shown.textContent()).not.toBe(first);
  expect(new URL((await shown.textContent())!).username).toBe(new URL(first).username);

  await page.getByText('flow_runs', { exact: true }).click();
  await page.getByText('paywall_viewed').waitFor();
  await page.getByRole('region', { name: 'Revenue per month in US dollars' }).waitFor();
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violations(page)).toEqual([]);

  await row.getByRole('button', { name: 'Revoke' }).click();
  await row.getByRole('button', { name: 'Programs that use it are refused. Revoke?' }).click();
  await page.getByText('No logins yet').waitFor();
  await shown.waitFor({ state: 'detached' });
});

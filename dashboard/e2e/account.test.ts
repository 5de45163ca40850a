import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { another, enter, page, server, suite } from './suite';
import { violations } from './visitor';

suite();

/** The code that an authenticator app shows for a secret in base32 (RFC 6238). */
function codeOf(secret: string, at = Date.now()): string {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret].map((digit) => digits.indexOf(digit).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const mac = createHmac('sha1', key).update(counter).digest();
  const offset = mac[19]! & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

test('an authenticator app is set up, asked for, and removed; a session elsewhere is ended', async () => {
  await page.goto(`${server.baseUrl}/account`);
  await page.getByRole('button', { name: 'Set up' }).click();
  const secret = (await page.locator('form code').textContent())!;
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByLabel('Code that the app shows').fill('000000');
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText(/code: is wrong, or of an earlier minute/).waitFor();
  const used = codeOf(secret);
  await page.getByLabel('Code that the app shows').fill(used);
  await page.getByRole('button', { name: 'Confirm' }).click();
  const codes = (await page.getByRole('status').locator('code').textContent())!.split('\n');
  expect(codes).toHaveLength(10);
  await page.getByText('10 recovery codes left').waitFor();

  const other = await another();
  await other.page.goto(`${server.baseUrl}/sign-in?to=/account`);
  await other.page.getByLabel('Email').fill(server.admin.email);
  await other.page.getByRole('textbox', { name: 'Password' }).fill(server.admin.password);
  await other.page.getByRole('button', { name: 'Sign in' }).click();
  await other.page.getByLabel('Code').fill(used); // by the set-up: in half a minute the app has another
  await other.page.getByRole('button', { name: 'Sign in' }).click();
  await other.page.getByText('The code is wrong or was used.').waitFor();
  await other.page.getByLabel('Code').fill(codes[0]!);
  await other.page.getByRole('button', { name: 'Sign in' }).click();
  await other.page.getByText('9 recovery codes left').waitFor();

  await page.reload();
  await page.getByText('This browser').waitFor();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor({ state: 'detached' });
  await other.page.reload();
  await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();

  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'The password alone will sign in. Remove?' }).click();
  await page.getByRole('button', { name: 'Set up' }).waitFor();
  await enter(other.page);
});

test('the account is reached from the menu, and can be used by everybody', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await enter(page);
    await page.getByRole('button', { name: /^Account of / }).click();
    await page.getByRole('menuitem', { name: 'Account' }).click();
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    expect(await violations(page)).toEqual([]);
  }
});

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { somebody } from './people';
import { addressOf, enter, open, page, server, suite, visitor } from './suite';
import { violations } from './visitor';

suite({ host: 'localhost' });

/** Gives a page an authenticator of software that asks nobody. */
async function authenticator(of: Page) {
  const protocol = await of.context().newCDPSession(of);
  await protocol.send('WebAuthn.enable');
  const { authenticatorId } = await protocol.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { protocol, authenticatorId };
}

async function addPasskey(to: Page, name: string) {
  await to.getByLabel('Name of the passkey').fill(name);
  await to.getByRole('button', { name: 'Add passkey' }).click();
  await to.getByRole('listitem').filter({ hasText: name }).waitFor();
}

test('a passkey is made, signs in without a password, is refused as a copy, and removed', async () => {
  const { protocol, authenticatorId } = await authenticator(page);
  await page.goto(`${server.baseUrl}/account`);
  await addPasskey(page, 'Work laptop');
  expect(await violations(page)).toEqual([]);

  await page.context().clearCookies();
  await page.goto(`${server.baseUrl}/sign-in?to=/account`);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page
    .getByRole('listitem')
    .filter({ hasText: 'This browser' })
    .getByText(/Passkey · signed in/)
    .waitFor();

  const { credentials } = await protocol.send('WebAuthn.getCredentials', { authenticatorId });
  const [credential] = credentials;
  await protocol.send('WebAuthn.removeCredential', { authenticatorId, credentialId: credential!.credentialId });
  await protocol.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential!, signCount: 0 } });
  await page.context().clearCookies();
  await page.goto(`${server.baseUrl}/sign-in`);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText('This passkey is not known here.').waitFor();
  await enter();
  await page.goto(`${server.baseUrl}/account`);
  await page.getByText(/It may have been copied/).waitFor();
  await page.getByRole('listitem').filter({ hasText: 'Work laptop' }).getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'It no longer signs you in. Remove?' }).click();
  await page.getByText('Work laptop').waitFor({ state: 'detached' });
});

test('a passkey is renamed, and signs in as before', async () => {
  await authenticator(page);
  await page.goto(`${server.baseUrl}/account`);
  await addPasskey(page, 'Old phone');
  const rename = async (from: string, to: string) => {
    await page.getByRole('button', { name: `Rename ${from}` }).click();
    await page.getByRole('listitem').getByLabel('Name of the passkey').fill(to);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: `Rename ${to}` }).waitFor();
  };
  await rename('Old phone', '<i>Ada’s</i> phone');
  expect(await violations(page)).toEqual([]);
  await page.reload();
  await page.getByRole('listitem').filter({ hasText: '<i>Ada’s</i> phone' }).waitFor();
  expect(await page.getByText('Old phone').count()).toBe(0);
  await page.getByRole('button', { name: 'Rename <i>Ada’s</i> phone' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Rename <i>Ada’s</i> phone' }).waitFor();

  await page.context().clearCookies();
  await page.goto(`${server.baseUrl}/sign-in?to=/account`);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByRole('listitem').filter({ hasText: '<i>Ada’s</i> phone' }).waitFor();
});

test('a workspace asks for a second factor: members are led to one, and let in with it', async () => {
  await authenticator(page);
  const member = await somebody(visitor, 'EDITOR');
  await authenticator(member.page);
  const rule = page.getByRole('combobox', { name: 'Required sign-in' });
  const choose = async (name: string) => {
    await rule.click();
    await page.getByRole('option', { name }).click();
  };
  await open('settings?tab=people');
  await choose('Second factor: passkey or code');
  await page.getByText(/Sign in as the rule asks for first/).waitFor(); // it would lock its owner out
  await page.goto(`${server.baseUrl}/account`);
  await addPasskey(page, 'Owner');
  await open('settings?tab=people');
  await choose('Second factor: passkey or code');
  await expect.poll(() => rule.inputValue()).toBe('Second factor: passkey or code');

  await member.page.goto(addressOf('home'));
  await member.page.getByText(/asks for a second factor/).waitFor();
  expect(await violations(member.page)).toEqual([]);
  await addPasskey(member.page, 'Phone');
  await member.page.getByText(/asks for a second factor/).waitFor({ state: 'detached' });
  await member.page.getByRole('link', { name: 'Svc' }).click();
  await member.page.waitForURL(/\/live\/home/);
});

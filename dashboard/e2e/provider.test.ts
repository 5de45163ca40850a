import { afterAll, expect, test } from 'vitest';
import { Provider } from './provider';
import { page, server, suite, visitor } from './suite';
import { violations } from './visitor';

const provider = new Provider({
  Administrator: { sub: '1', email: 'admin@svc.localhost', email_verified: true },
  Stranger: { sub: '2', email: 'stranger@svc.localhost', email_verified: true },
  'Other company': { sub: '3', email: 'admin@example.com', email_verified: true },
  Unproved: { sub: '4', email: 'admin@svc.localhost', email_verified: false },
});

suite({
  signedIn: false,
  settings: {
    SVC_OIDC_ISSUER: await provider.listen(),
    SVC_OIDC_CLIENT_ID: 'svc',
    SVC_OIDC_CLIENT_SECRET: 'secret',
    SVC_OIDC_NAME: 'Example',
    SVC_OIDC_DOMAINS: 'svc.localhost',
  },
});
afterAll(provider.close);

/** Goes to the provider by the button of the sign-in, and says there who one is. */
async function continueAs(name: string) {
  visitor.expected = /\/authorize\?/; // the provider's page
  await page.goto(`${server.baseUrl}/sign-in`);
  await page.getByRole('link', { name: 'Continue with Example' }).click();
  await page.getByRole('heading', { name: 'Who are you?' }).waitFor();
  await page.getByRole('link', { name, exact: true }).click();
}

const refused = (words: string) => page.getByRole('alert').getByText(words).waitFor();

// The first test: the server reads once what the provider says of itself.
test('a provider that does not answer leaves the password as a way in', async () => {
  provider.isDown = true;
  await page.goto(`${server.baseUrl}/sign-in`);
  await page.getByRole('link', { name: 'Continue with Example' }).click();
  await refused('The provider cannot be reached now.');
  provider.isDown = false;
});

test('whoever is nobody here is told why they are not signed in', async () => {
  await continueAs('Nobody');
  await refused('The sign-in did not come to an end.');
  expect(await violations(page)).toEqual([]);
  for (const name of ['Stranger', 'Other company', 'Unproved']) {
    await continueAs(name);
    await refused('Your account there opens nothing here.');
  }
  const sessions = await visitor.context.cookies(server.baseUrl);
  expect(sessions.map(({ name }) => name)).not.toContain('svc_session');
});

test('an account that has a password is linked once, and opened by the provider from then on', async () => {
  await continueAs('Administrator');
  await refused('You have an account with a password here.');
  await page.getByLabel('Email').fill(server.admin.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(server.admin.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(/\/live\/home/);
  await page.goto(`${server.baseUrl}/sign-in/provider?to=/account`);
  await page.getByRole('link', { name: 'Administrator' }).click();
  await page.waitForURL(`${server.baseUrl}/account`);

  await visitor.context.clearCookies();
  await continueAs('Administrator');
  await page.waitForURL(/\/live\/home/);
});

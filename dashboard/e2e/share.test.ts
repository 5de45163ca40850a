import { createServer, type Server as Host } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { another, enter, open, page, server, suite, visitor } from './suite';
import { barriers, settled, type Visitor, violations } from './visitor';

suite({ signedIn: false });

type Made = { token: string; link: { id: string } };

/** Makes a link to reports of the demo's app and gives its token and id. */
const share = async (input: object = {}): Promise<Made> => {
  const { createSharedLink } = await server.ask<{ createSharedLink: Made }>(
    `mutation ($i: CreateSharedLinkInput!) { createSharedLink(input: $i) { token link { id } } }`,
    { i: { appId: server.apps[0]!.id, name: 'Board', reports: ['HOME'], ...input } },
  );
  return createSharedLink;
};

const addressOf = (token: string, rest = '') => `${server.baseUrl}/share/${token}${rest}`;

type Answer = { data: unknown; errors?: { message: string; extensions: { code: string; field?: string } }[] };

/** Asks the API by a secret of a reader, as a program would. */
const askBy = async (secret: string | undefined, query: string, variables: object = {}): Promise<Answer> => {
  const answer = await fetch(`${server.baseUrl}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(secret && { Authorization: `Bearer ${secret}` }) },
    body: JSON.stringify({ query, variables }),
  });
  return (await answer.json()) as Answer;
};

const revoke = (id: string) =>
  server.ask('mutation ($i: RevokeSharedLinkInput!) { revokeSharedLink(input: $i) { id } }', { i: { id } });

/** The number of a page's metric. */
const figure = async (at: Page, name: string) => {
  await settled(at);
  return at.locator('[aria-pressed]').filter({ hasText: name }).first().locator('b').innerText();
};

test('a member shares a report, and a reader sees it with its filters and nothing else', async () => {
  await enter();
  await open('home?range=28d&zone=UTC&f=is,country,DE');
  const shown = await figure(page, 'Visitors');
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Share reports' });
  await dialog.getByText('Country is Germany').waitFor();
  expect(await dialog.getByRole('checkbox', { name: 'Home' }).isChecked()).toBe(true);
  await dialog.getByRole('textbox', { name: 'Name' }).fill('For the board');
  await dialog.getByRole('checkbox', { name: 'Events' }).check();
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const address = (await dialog.getByLabel('Link', { exact: true }).innerText()).trim();
  await dialog.getByText('2 reports · never opened').waitFor();

  const reader = await another();
  await reader.page.goto(address);
  expect(await figure(reader.page, 'Visitors')).toBe(shown);
  expect(await reader.page.getByRole('link').allInnerTexts()).toEqual(['Home', 'Events', 'View all']);
  await reader.page.getByRole('list', { name: 'Fixed filters' }).getByText('Country is Germany').waitFor();
  expect(await reader.page.getByRole('list', { name: 'Filters', exact: true }).count()).toBe(0);
  await reader.page.getByText('Powered by Svc').waitFor();

  // What readers choose: period, comparison, and filters of their own beside the fixed ones.
  await reader.page.getByRole('button', { name: 'Last 28 days' }).click();
  await reader.page.getByRole('button', { name: 'Last 7 days' }).click();
  await reader.page.waitForURL(/range=7d/);
  // In some weeks of the demo no German came by at a desk.
  await reader.page.goto(reader.page.url().replace('range=7d', 'range=28d'));
  await reader.page.getByRole('button', { name: 'Desktop', exact: true }).click();
  await reader.page.getByText('Device is Desktop').waitFor();
  await settled(reader.page);
  await reader.page.getByRole('navigation', { name: 'Reports' }).getByRole('link', { name: 'Events' }).click();
  await reader.page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  await reader.page.getByRole('button', { name: /^page_view/ }).click();
  await reader.page.getByText('Event is page_view').waitFor();
  expect(await reader.page.getByRole('dialog').count()).toBe(0); // no single rows
  await settled(reader.page);

  // What the address says beyond that is left out.
  const home = new URL(reader.page.url()).pathname.replace('/events', '/home');
  for (const wish of ['f=is,country,US', 'f=is_not,country,DE', `segment=${crypto.randomUUID()}`, 'platform=ios']) {
    await reader.page.goto(`${server.baseUrl}${home}?range=28d&zone=UTC&${wish}`);
    expect(await figure(reader.page, 'Visitors')).toBe(shown);
    expect(reader.page.url()).not.toContain(wish);
  }
  for (const other of ['goals', 'people', 'settings', 'flows', 'live']) {
    await reader.page.goto(`${server.baseUrl}${home.replace('/home', `/${other}`)}`);
    await reader.page.waitForURL(/\/home\?/);
  }
  await reader.page.goto(`${server.baseUrl}${home.replace('/live/', '/test/')}`);
  await reader.page.waitForURL(/\/live\/home\?/);
  for (const other of ['/account', '/playground', '/sign-in']) {
    await reader.page.goto(addressOf(address.split('/').at(-1)!, other));
    await reader.page.waitForURL(/\/home\?/);
  }

  // A member who reads by a link sees no more.
  await page.goto(address);
  expect(await figure(page, 'Visitors')).toBe(shown);
  expect(await page.getByRole('button', { name: 'Share', exact: true }).count()).toBe(0);

  // Its end.
  await open('home');
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await dialog.getByText('2 reports · last opened').waitFor();
  await dialog.getByRole('button', { name: 'Revoke' }).first().click();
  await dialog.getByRole('button', { name: 'Revoke' }).last().click();
  await dialog.getByText('For the board').waitFor({ state: 'detached' });
  await reader.page.goto(address);
  await reader.page.getByText('This link shows nothing').waitFor();
});

test('a link that is limited to a goal names the goal to members, and its id to nobody', async () => {
  const { app } = await server.ask<{ app: { goals: { nodes: { id: string; name: string }[] } } }>(
    `query ($a: ID!) { app(id: $a) { goals(first: 1) { nodes { id name } } } }`,
    { a: server.apps[0]!.id },
  );
  const [goal] = app.goals.nodes;
  await enter();
  await open(`home?range=28d&zone=UTC&f=is,goal,${goal!.id}`);
  const shown = await figure(page, 'Visitors');
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Share reports' });
  await dialog.getByText(`Goal is ${goal!.name}`).waitFor();
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const reader = await another();
  await reader.page.goto((await dialog.getByLabel('Link', { exact: true }).innerText()).trim());
  expect(await figure(reader.page, 'Visitors')).toBe(shown);
  expect(await reader.page.getByRole('list', { name: 'Fixed filters' }).innerText()).toBe('Goal is a goal');
  await dialog.getByRole('button', { name: 'Revoke' }).first().click();
  await dialog.getByRole('button', { name: 'Readers are refused. Revoke?' }).click();
});

test('a reader who asks the server itself gets no more', async () => {
  const app = server.apps[0]!.id;
  const { token } = await share({ scope: { cross: { country: { op: 'IS', values: ['DE'] } } } });
  const visitors = `query ($a: ID!, $s: ScopeInput!) { app(id: $a) { productAnalytics(scope: $s) { summary { visitors } } } }`;
  const germans = (await askBy(token, visitors, { a: app, s: {} })).data;
  for (const values of [['US'], ['DE', 'US'], []]) {
    const { errors } = await askBy(token, visitors, { a: app, s: { cross: { country: { op: 'IS', values } } } });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'invalid_input', field: 'cross.country' });
  }
  expect((await askBy(token, visitors, { a: app, s: {} })).data).toEqual(germans);
  const test = await askBy(token, visitors, { a: app, s: { environment: 'TEST' } });
  expect(test.errors?.[0]?.extensions.code).toBe('not_found');
  for (const foreign of [
    'viewer { email }',
    '__schema { types { name } }',
    ...['people { totalCount }', 'goals { totalCount }', 'flows { totalCount }', 'sharedLinks { totalCount }'].map(
      (field) => `app(id: "${app}") { ${field} }`,
    ),
    ...['visitors { totalCount }', 'goals { totalCount }', 'attribution(dimension: SOURCE) { totalCount }'].map(
      (field) => `app(id: "${app}") { productAnalytics(scope: {}) { ${field} } }`,
    ),
  ]) {
    const { errors } = await askBy(token, `{ ${foreign} }`);
    expect([foreign, ['forbidden', 'graphql_validation_failed'].includes(errors?.[0]?.extensions.code ?? '')]).toEqual([
      foreign,
      true,
    ]);
  }
});

test('links that are unknown, expired and revoked are told apart by nobody', async () => {
  const soon = await share({ expiresAt: new Date(Date.now() + 1_500).toISOString() });
  const revoked = await share();
  await revoke(revoked.link.id);
  await new Promise((resolve) => setTimeout(resolve, 1_600));
  const said: string[] = [];
  for (const token of [soon.token, revoked.token, `svc_link_${'0'.repeat(22)}`, 'nothing', 'a%2Fb', '%73vc_link']) {
    const answer = await fetch(addressOf(token));
    const {
      'x-robots-tag': robots,
      'cache-control': cache,
      'referrer-policy': referrer,
    } = Object.fromEntries(answer.headers);
    expect([answer.status, robots, cache, referrer]).toEqual([200, 'noindex, nofollow', 'no-store', 'no-referrer']);
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(answer.headers.get('x-frame-options')).toBe('DENY');
    await page.goto(addressOf(token));
    await page.getByText('This link shows nothing').waitFor();
    said.push(await page.locator('body').innerText());
  }
  expect(new Set(said).size).toBe(1);
  expect(await violations(page)).toEqual([]);
});

test('a password lets readers in, and is guessed ten times', async () => {
  const { token } = await share({ password: 'open sesame' });
  await page.goto(addressOf(token));
  const password = page.getByLabel('Password of this link');
  await password.fill('open barley');
  await page.getByRole('button', { name: 'View reports' }).click();
  await page.getByRole('alert').getByText(/wrong/).waitFor();
  expect(await violations(page)).toEqual([]);
  await password.fill('open sesame');
  await page.getByRole('button', { name: 'View reports' }).click();
  expect(await figure(page, 'Visitors')).toMatch(/\d/);
  await page.reload();
  expect(await figure(page, 'Visitors')).toMatch(/\d/); // as long as the tab is open
  const stranger = await another();
  await stranger.page.goto(addressOf(token));
  await stranger.page.getByLabel('Password of this link').waitFor();

  const guess = (guessed: string) =>
    askBy(undefined, 'mutation ($i: OpenSharedLinkInput!) { openSharedLink(input: $i) { key } }', {
      i: { token, password: guessed },
    });
  for (let tries = 1; tries < 10; tries++) {
    expect((await guess(`guess ${tries}`)).errors?.[0]?.extensions.code).toBe('invalid_input');
  }
  expect((await guess('open sesame')).errors?.[0]?.extensions.code).toBe('rate_limited');
  await stranger.page.getByLabel('Password of this link').fill('open sesame');
  await stranger.page.getByRole('button', { name: 'View reports' }).click();
  await stranger.page
    .getByRole('alert')
    .getByText(/Too many requests/)
    .waitFor();
  expect((await askBy(token, '{ sharedView { name } }')).errors?.[0]?.extensions.code).toBe('forbidden');
});

/** Sites of others, each an origin of its own. */
let sites: Host[] = [];
let embedding = '';
const originOf = (site: Host) => `http://127.0.0.1:${(site.address() as AddressInfo).port}`;

beforeAll(async () => {
  const site = () =>
    new Promise<Host>((resolve) => {
      const host = createServer((_, answer) => {
        answer.setHeader('Content-Type', 'text/html');
        answer.end(`<!doctype html><html lang="en"><title>A site</title><h1>A site</h1>${embedding}</html>`);
      });
      host.listen(0, '127.0.0.1', () => resolve(host));
    });
  sites = [await site(), await site()];
});
afterAll(() => {
  for (const site of sites) site.close();
});

const elsewhere = /127\.0\.0\.1:\d+\/(favicon\.ico)?$|frame-ancestors|chrome-error/;

test('the sites of a link embed its reports as high as they are, other sites do not', async () => {
  visitor.expected = elsewhere;
  await enter();
  await open('home?range=28d');
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Share reports' });
  await dialog.getByLabel('Sites that may embed it').fill(originOf(sites[0]!));
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Create link' }).click();
  embedding = await dialog.getByLabel('Embed code').innerText();

  const reader: Visitor = await another();
  await reader.page.goto(originOf(sites[0]!));
  const frame = reader.page.frameLocator('iframe');
  await frame.getByText('Powered by Svc').waitFor();
  await frame.getByText('screen_view').waitFor();
  const height = () => reader.page.locator('iframe').evaluate((frame) => frame.clientHeight);
  await expect.poll(height).toBeGreaterThan(1_200);
  await expect
    .poll(() => frame.locator('html').evaluate((root) => root.scrollHeight - root.clientHeight))
    .toBeLessThanOrEqual(0);

  // The same page of another origin shows nothing of it, and no page of members is framed anywhere.
  await reader.page.goto(originOf(sites[1]!));
  await expect.poll(() => reader.page.frames().at(-1)!.url()).toMatch(/chrome-error/);
  const token = /svc_link_\w+/.exec(embedding)![0];
  for (const path of ['/', '/sign-in', `/apps/${server.apps[0]!.id}/live/home`, `/?x=/share/${token}`]) {
    embedding = `<iframe src="${server.baseUrl}${path}" title="Framed"></iframe>`;
    await reader.page.goto(originOf(sites[0]!));
    await expect.poll(() => reader.page.frames().at(-1)!.url()).toMatch(/chrome-error/);
  }
});

test('readers of every report, at both widths and in both themes, have what they need', async () => {
  const { token } = await share({
    reports: ['HOME', 'ACQUISITION', 'ENGAGEMENT', 'EVENTS', 'GOALS', 'RETENTION', 'LOCATIONS', 'DEVICES'],
    scope: { period: 'LAST_28_DAYS', comparison: 'NONE', grain: 'DAY' },
    poweredBy: false,
  });
  await page.goto(addressOf(token));
  await page.waitForURL(/range=28d/);
  expect(new URL(page.url()).search).toContain('compare=none');
  await settled(page);
  expect(await page.getByText('Powered by').count()).toBe(0);
  const links = await page.getByRole('navigation', { name: 'Reports' }).getByRole('link').all();
  const addresses: string[] = [];
  for (const link of links) addresses.push(server.baseUrl + (await link.getAttribute('href')));
  expect(addresses).toHaveLength(8);
  expect(await barriers(page, addresses)).toEqual([]);
  await page.goto(`${addresses[4]}&goal=`);
  await page.getByRole('button', { name: 'First plant' }).click();
  await page.getByRole('heading', { name: 'First plant by channel' }).waitFor();
  await settled(page);
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('the page that embeds chooses theme and background', async () => {
  const { token } = await share();
  for (const [theme, scheme] of [
    ['dark', 'dark'],
    ['light', 'light'],
    ['system', 'light'],
    ['neon', 'light'],
  ]) {
    await page.goto(addressOf(token, `?embed=1&theme=${theme}&background=transparent`));
    await settled(page);
    expect(await page.evaluate(() => document.documentElement.dataset.mantineColorScheme)).toBe(scheme);
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgba(0, 0, 0, 0)');
    expect(await page.getByText('Board').count()).toBe(0); // the page around it says what it is
  }
  await page.goto(addressOf(token, '?background=url(https://evil.example/x)'));
  await settled(page);
  expect(await page.evaluate(() => document.body.style.background)).toBe('');
});

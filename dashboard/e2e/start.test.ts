import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FreshServer, serveFresh } from './server';
import { ask, openBrowser, violations, visit } from './visitor';

let server: FreshServer;
let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([serveFresh(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

test('the first hour leads from a set-up link to a flow that an app shows', async () => {
  const { context, page, complaints } = await visit(browser, server);
  await page.goto(server.setupLink);
  await page.getByLabel('Email').fill('ada@plants.example');
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse');
  await page.getByLabel(/^Your name/).fill('Ada');
  await page.getByLabel(/^Workspace/).fill('Plants');
  await page.getByRole('button', { name: 'Make the administrator' }).click();
  await page.getByRole('heading', { level: 1, name: 'Name your first app' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('textbox', { name: 'Name' }).fill('Tendril');
  await page.getByRole('button', { name: 'Create app' }).click();
  await page.waitForURL(/\/test\/start/);
  await page.getByRole('heading', { level: 1, name: 'Get started with Tendril' }).waitFor();

  const code = page.getByRole('region', { name: 'Code that connects the app' });
  for (const [sdk, name] of [
    ['React', '@svc/react'],
    ['Expo', '@svc/expo'],
    ['React Native', '@svc/react-native'],
  ]) {
    await page.getByText(sdk!, { exact: true }).first().click();
    await expect.poll(() => code.textContent()).toContain(`from '${name}'`);
    expect(await code.textContent()).toContain(`apiBaseUrl: '${server.baseUrl}'`);
  }
  const waiting = page.getByRole('status').filter({ hasText: 'Waiting for the first event' });
  await waiting.waitFor();
  expect(await violations(page)).toEqual([]);

  // What the page tells to paste is pasted.
  await page.getByText('HTTP', { exact: true }).first().click();
  const request = (await page.getByRole('region', { name: 'Request that connects the app' }).textContent())!;
  const [, address, key, body] = /^curl (\S+)[\s\S]*Bearer (\S+)'[\s\S]*-d '(.*)'$/.exec(request)!;
  const sent = await fetch(address!, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: body!,
  });
  expect(await sent.json()).toMatchObject({ accepted: true, stored: 1 });
  await page.getByText('Connected: 1 event has arrived.').waitFor({ timeout: 10_000 });

  const picture = page.frameLocator('iframe[title="First screen of Onboarding"]').locator('img').first();
  await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Start from Onboarding' }).click();
  await page.getByRole('button', { name: 'Publish Onboarding to the channel' }).click();
  await page.getByRole('link', { name: 'Onboarding' }).nth(1).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Open here' }).click();
  const app = page.frameLocator('iframe[title="Onboarding, in the SDK"]');
  await app.getByRole('button').first().waitFor();
  expect(await violations(page)).toEqual([]);
  const tab = context.waitForEvent('page');
  await page.getByRole('link', { name: 'Open in a new tab' }).click();
  const alone = await tab;
  await alone.getByRole('button').first().waitFor();
  // Somebody who was sent the address, and is no member of the app, is shown nothing.
  const stranger = await visit(browser, server);
  await stranger.page.goto(alone.url());
  await stranger.page.getByText(/^No flow to show/).waitFor();
  expect(await stranger.page.getByRole('button').count()).toBe(0);
  await stranger.context.close();
  // The run is that of an app: it is counted.
  await expect
    .poll(() => page.getByText(/^Connected: ([2-9]|\d\d+) events have arrived\.$/).count(), { timeout: 30_000 })
    .toBe(1);
  await context.close();
  expect(complaints).toEqual([]);
});

test('a set-up link that was used says where to sign in', async () => {
  const { context, page, complaints } = await visit(browser, server);
  await page.goto(server.setupLink);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Email').fill('ada@plants.example');
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/live\/home/);
  await page.getByRole('heading', { name: 'Waiting for the first event' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('link', { name: /^Get started step by step/ }).click();
  await page.waitForURL(/\/live\/start/);
  await context.close();
  expect(complaints.filter((text) => !/404/.test(text))).toEqual([]); // the link's page
});

test('reports lead an app without events to its first one, and Home shows it by itself', async () => {
  const { context, page, complaints } = await visit(browser, server);
  await page.goto(`${server.baseUrl}/sign-in`);
  await page.getByLabel('Email').fill('ada@plants.example');
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/live\/home/);
  const home = page.url();
  for (const report of ['acquisition', 'engagement', 'events', 'retention', 'locations', 'devices', 'visitors']) {
    await page.goto(home.replace(/home.*/, report));
    await page.getByText('No events yet').first().waitFor();
    expect(await page.getByText('No data in this period').count()).toBe(0);
  }
  await page.getByRole('link', { name: 'Connect your app' }).first().click();
  await page.waitForURL(/\/live\/start/);
  await page.getByRole('status').filter({ hasText: 'Waiting for the first event' }).waitFor();

  await page.goto(home);
  await page.getByRole('heading', { name: 'Waiting for the first event' }).waitFor();
  await page.evaluate(() => Object.assign(window, { loaded: 'once' }));
  const { app } = (await ask(
    page,
    '{ app(id: "APP") { environment(kind: LIVE) { publishableKeys(first: 1) { nodes { key } } } } }'.replace(
      'APP',
      /apps\/([^/]+)/.exec(home)![1]!,
    ),
    {},
  )) as { app: { environment: { publishableKeys: { nodes: { key: string }[] } } } };
  const send = async (appUserId: string) => {
    const sent = await fetch(`${server.baseUrl}/v1/sdk/analytics/events`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${app.environment.publishableKeys.nodes[0]!.key}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ events: [{ eventId: `of-${appUserId}`, name: 'app_opened', appUserId }] }),
    });
    expect(await sent.json()).toMatchObject({ accepted: true, stored: 1 });
  };
  const visitors = page.getByRole('button', { name: /^Visitors/ });
  await send('user-1');
  await expect.poll(() => visitors.textContent(), { timeout: 20_000 }).toMatch(/^Visitors1(?!\d)/);
  // From then on Home asks again by itself.
  await send('user-2');
  await expect.poll(() => visitors.textContent(), { timeout: 60_000 }).toMatch(/^Visitors2(?!\d)/);
  expect(await page.evaluate(() => (window as unknown as { loaded?: string }).loaded)).toBe('once');
  await page.getByRole('row', { name: /app_opened/ }).waitFor();
  await context.close();
  expect(complaints).toEqual([]);
});

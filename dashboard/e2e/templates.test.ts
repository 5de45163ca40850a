import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import index from '../../studio/templates/index.json';
import { type FreshServer, serveFresh } from './server';
import { ask, openBrowser, violations, visit } from './visitor';

let server: FreshServer;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let complaints: string[];
let flows: string;

beforeAll(async () => {
  [server, browser] = await Promise.all([serveFresh(), openBrowser()]);
  ({ context, page, complaints } = await visit(browser, server));
  await page.goto(server.setupLink);
  await page.getByLabel('Email').fill('ada@plants.example');
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse');
  await page.getByLabel(/^Your name/).fill('Ada');
  await page.getByLabel(/^Workspace/).fill('Plants');
  await page.getByRole('button', { name: 'Make the administrator' }).click();
  await page.getByRole('heading', { level: 1, name: 'Name your first app' }).waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('Quillfeather');
  await page.getByRole('button', { name: 'Create app' }).click();
  await page.waitForURL(/\/test\/start/);
  flows = page.url().replace(/test\/start.*/, 'test/flows');
});
afterAll(async () => {
  await context?.close();
  await browser?.close();
  await server?.stop();
});

async function choose(name: string) {
  await page.goto(flows);
  await page.getByRole('button', { name: 'New flow' }).first().click();
  await page.getByRole('radio', { name, exact: true }).check();
}

test('a template is played before it is chosen, in each language and theme', async () => {
  await choose('Three plans with trial');
  const cover = page.frameLocator('iframe[title="A screen of Fitness quiz"]');
  await cover.locator('.svc-text').first().waitFor();
  const run = page.frameLocator('iframe[title="The flow, running"]');
  await run.getByRole('button', { name: 'See the plans' }).click();
  await run.getByRole('button', { name: 'Choose a plan' }).click();
  await run.getByText('$39.99').waitFor();
  await page.getByRole('radiogroup', { name: 'Language of the template' }).getByText('Arabic', { exact: true }).click();
  await run.getByRole('button', { name: 'ابدأ أسبوعي المجاني' }).waitFor();
  await page.getByRole('radiogroup', { name: 'Theme of the template' }).getByText('Dark', { exact: true }).click();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Restart' }).click();
  await run.getByRole('button', { name: 'عرض الباقات' }).waitFor();
});

test('products are asked for, and no prices', async () => {
  await choose('Three plans with trial');
  await page.getByRole('textbox', { name: 'Name' }).fill('Summer paywall');
  await page.getByRole('combobox', { name: 'Who sells it' }).click();
  await page.getByRole('option', { name: 'Superwall' }).click();
  await page.getByRole('textbox', { name: 'Yearly: placement' }).fill('summer');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create flow' }).click();
  await page.getByRole('heading', { level: 1, name: 'Summer paywall' }).waitFor();
  const [, flow] = /flows\/([^/]+)\/edit/.exec(page.url())!;
  type Made = { flow: { draft: { externalSurfaceNodes: { name: string; config: object }[] } } };
  const made = (await ask(page, 'query ($f: ID!) { flow(id: $f) { draft } }', { f: flow })) as Made;
  expect(made.flow.draft.externalSurfaceNodes.find(({ name }) => name === 'Yearly')?.config).toEqual({
    provider: 'superwall',
    placementId: 'summer',
  });
});

test('every template makes a flow of the app that can be published', async () => {
  for (const { name } of index) {
    await choose(name);
    await page.getByRole('textbox', { name: 'Name' }).fill(`My ${name}`);
    await page.getByRole('button', { name: 'Create flow' }).click();
    await page.getByRole('heading', { level: 1, name: `My ${name}` }).waitFor();
    await page.getByRole('link', { name: 'Publish' }).click();
    await page.getByRole('dialog').getByLabel('Label').waitFor();
  }
  expect(complaints).toEqual([]);
});

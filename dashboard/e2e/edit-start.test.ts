import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { another, enter, flowCalled, open, page, server, suite, visitor } from './suite';
import { settled, violations } from './visitor';

suite();

type Draft = { screens: { name: string }[] };

async function emptyFlow(name: string): Promise<string> {
  const { createFlow } = await server.ask<{ createFlow: { id: string } }>(
    'mutation ($app: ID!, $n: String!) { createFlow(input: {appId: $app, name: $n}) { id } }',
    { app: server.apps[0]!.id, n: name },
  );
  return createFlow.id;
}

async function draftOf(flow: string): Promise<Draft> {
  return (await server.ask<{ flow: { draft: Draft } }>('query ($f: ID!) { flow(id: $f) { draft } }', { f: flow })).flow
    .draft;
}

const ways = () => page.getByRole('region', { name: 'How do you want to start?' });
const canvas = () => page.frameLocator('iframe[title="Screens of the flow"]');

/** Looks for barriers in both themes of the dashboard. */
async function clean(where: string) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await settled(page);
    expect([where, colorScheme, await violations(page)]).toEqual([where, colorScheme, []]);
  }
  await page.emulateMedia({ colorScheme: null });
}

test('an empty flow begins with a blank screen, and is empty again after undo', async () => {
  const flow = await emptyFlow('From nothing');
  await open(`flows/${flow}/edit`);
  await ways()
    .getByRole('button', { name: /^Blank screen/ })
    .click();
  const name = page.getByRole('textbox', { name: 'Name', exact: true }).first();
  await name.fill('Hello');
  await name.press('Enter');
  await page.getByRole('application', { name: 'Canvas' }).waitFor();
  await expect.poll(async () => (await draftOf(flow)).screens.map(({ name }) => name)).toEqual(['Hello']);
  await page.keyboard.press('ControlOrMeta+z');
  await page.keyboard.press('ControlOrMeta+z');
  await ways().waitFor();
  await page.getByRole('radiogroup', { name: 'Mode' }).getByText('Graph', { exact: true }).click();
  await ways()
    .getByRole('button', { name: /^Blank screen/ })
    .waitFor();
});

test('a new flow opens in the editor, and goes live on a channel that served something else', async () => {
  await open('flows');
  await page.getByRole('button', { name: 'New flow' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Blank', { exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('The first one');
  await dialog.getByRole('button', { name: 'Create flow' }).click();
  await ways()
    .getByRole('button', { name: /^Blank screen/ })
    .click();
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Publish' }).click();
  const other = dialog.getByRole('combobox', { name: 'Set live on' });
  await other.click();
  await page
    .getByRole('option', { name: /^Paywall · Tendril Plus v/ })
    .first()
    .click();
  await dialog.getByText('The first one has never been live on Paywall.').waitFor();
  await clean('a channel that serves another flow');
  await dialog.getByRole('button', { name: 'Publish and set live' }).click();
  await dialog.waitFor({ state: 'hidden' });
  const versions = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: /^v1/ }) });
  await versions.getByText('Paywall', { exact: true }).waitFor();

  // What a version page offers is the channels that are left.
  await page.getByRole('link', { name: /^v1/ }).click();
  await page.getByRole('button', { name: 'Set live' }).click();
  await other.click();
  await page
    .getByRole('option', { name: /^Reminders · / })
    .first()
    .click();
  await dialog.getByRole('button', { name: 'Set live on Reminders' }).click();
  await versions.getByText('Reminders', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Draft' }).click();
  await page.getByRole('link', { name: 'Screen 1' }).click();
  await page.waitForURL(/\/edit\?screen=scr_/);
});

test('an empty flow begins with a template, while another member looks on', async () => {
  const flow = await emptyFlow('From a template');
  const other = await another();
  await enter(other.page);
  await open(`flows/${flow}/edit`);
  await clean('an empty flow');
  await other.page.goto(page.url());
  await ways()
    .getByRole('link', { name: /^Template/ })
    .click();
  await page.getByRole('radio', { name: 'Fitness quiz', exact: true }).check();
  await clean('a flow that is started');
  await page.getByRole('textbox', { name: 'App in the texts' }).fill('Fernwood');
  await page.getByRole('button', { name: 'Use this template' }).click();
  await page.waitForURL(new RegExp(`${flow}/edit`));
  await canvas().getByText('Then Fernwood builds').first().waitFor();
  await other.page
    .frameLocator('iframe[title="Screens of the flow"]')
    .getByText('Then Fernwood builds')
    .first()
    .waitFor();

  // What has begun is not begun again.
  await open(`flows/${flow}/start`);
  await page.getByText('The flow has started').waitFor();
});

test('an empty flow begins with an exported flow, or with a manifest', async () => {
  const source = await flowCalled('Welcome');
  const folder = mkdtempSync(join(tmpdir(), 'svc-dashboard-'));
  const exported = await visitor.context.request.get(`${server.baseUrl}/v1/flows/${source}/export`);
  writeFileSync(join(folder, 'Welcome.zip'), await exported.body());
  writeFileSync(join(folder, 'Welcome.json'), JSON.stringify(await draftOf(source)));
  const names = (await draftOf(source)).screens.map(({ name }) => name);
  for (const file of ['Welcome.zip', 'Welcome.json']) {
    const flow = await emptyFlow(`From ${file}`);
    await open(`flows/${flow}/edit`);
    await ways()
      .getByRole('link', { name: /^Import/ })
      .click();
    await page.locator('input[type=file]').setInputFiles(join(folder, file));
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await canvas().getByText('Plants that').first().waitFor();
    expect((await draftOf(flow)).screens.map(({ name }) => name)).toEqual(names);
  }
});

test('a file that is no flow is refused, and leaves the flow empty', async () => {
  visitor.expected = /status of (400|422)/;
  const flow = await emptyFlow('Refused');
  await open(`flows/${flow}/start?content=import`);
  const text = page.getByRole('textbox', { name: 'Manifest' });
  const send = page.getByRole('button', { name: 'Import', exact: true });
  await text.fill('{"screens": ');
  await send.click();
  await page.getByRole('alert').getByText('This is not valid JSON').waitFor();
  await text.fill('{"screens": 1}');
  await send.click();
  await page
    .getByRole('alert')
    .getByText(/This was refused/)
    .waitFor();
  expect(await text.inputValue()).toBe('{"screens": 1}');
  await page.locator('input[type=file]').setInputFiles({
    name: 'Broken.zip',
    mimeType: 'application/zip',
    buffer: Buffer.from('this is no archive'),
  });
  await send.click();
  await page.getByText(/Broken\.zip is not a ZIP file/).waitFor();
  expect((await draftOf(flow)).screens).toEqual([]);
});

import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { askAs } from './people';
import { flowCalled, open, page, server, suite, visitor } from './suite';
import { violations } from './visitor';

suite();

const flowName = 'Welcome';

async function openFlowMenu() {
  await open(`flows/${await flowCalled(flowName)}/versions`);
  await page.getByRole('button', { name: 'More for this flow' }).click();
}

test('a flow is copied to another app of the workspace, under a name', async () => {
  const create = `mutation ($w: ID!) { createApp(input: {workspaceId: $w, name: "Plants"}) { id } }`;
  const { createApp } = (await askAs<{ createApp: { id: string } }>(visitor, create, { w: await workspace() })).data;
  await openFlowMenu();
  await page.getByRole('menuitem', { name: 'Copy to another app…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Copy to another app' });
  await dialog.getByRole('combobox', { name: 'App' }).click();
  await page.getByRole('option', { name: 'Plants' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Welcome to Plants');
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Copy flow' }).click();
  await dialog.getByText('“Welcome to Plants” is in Plants.').waitFor();
  await dialog.getByRole('link', { name: 'Open the flow' }).click();
  await page.getByRole('heading', { level: 1, name: 'Welcome to Plants' }).waitFor();
  expect(page.url()).toContain(createApp.id);
});

test('an exported flow is imported as a new one', async () => {
  await openFlowMenu();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Export with media and fonts' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`${flowName}.zip`);
  const path = join(mkdtempSync(join(tmpdir(), 'svc-dashboard-')), download.suggestedFilename());
  await download.saveAs(path);
  expect(existsSync(path) && readFileSync(path).subarray(0, 2).toString()).toBe('PK');

  const dialog = await openImport();
  await choose(path);
  await expect.poll(() => dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe(flowName);
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Brought back');
  await dialog.getByRole('button', { name: 'Create flow' }).click();
  await page.getByRole('heading', { level: 1, name: 'Brought back' }).waitFor();
});

test('a file that is no flow is refused by its name, or by what is wrong with it', async () => {
  visitor.expected = /status of (400|422)/;
  const folder = mkdtempSync(join(tmpdir(), 'svc-dashboard-'));
  const dialog = await openImport();
  writeFileSync(join(folder, 'notes.txt'), 'hello');
  await choose(join(folder, 'notes.txt'));
  await dialog.getByText('notes.txt is neither an exported flow (.zip) nor a manifest (.json).').waitFor();
  writeFileSync(join(folder, 'Broken.zip'), 'this is no archive');
  await choose(join(folder, 'Broken.zip'));
  await dialog.getByText('Broken.zip').waitFor();
  await dialog.getByRole('button', { name: 'Create flow' }).click();
  await dialog.getByText(/This was refused\. Broken\.zip is not a ZIP file/).waitFor();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByRole('textbox', { name: 'Manifest' }).waitFor();
});

async function openImport() {
  await open('flows');
  await page.getByRole('button', { name: 'New flow' }).click();
  const dialog = page.getByRole('dialog', { name: 'New flow' });
  await dialog.getByText(/^(A manifest|Import)$/).click();
  return dialog;
}

const choose = (path: string) => page.locator('input[type=file]').setInputFiles(path);

async function workspace(): Promise<string> {
  const { app } = await server.ask<{ app: { workspace: { id: string } } }>(
    'query ($a: ID!) { app(id: $a) { workspace { id } } }',
    { a: server.apps[0]!.id },
  );
  return app.workspace.id;
}

import { expect, test } from 'vitest';
import { flowCalled, open, page, server, suite } from './suite';
import { settled, violations } from './visitor';

suite();

const problems = () => page.getByRole('button', { name: /^Problems: / });
const panel = () => page.getByRole('dialog', { name: /^Problems: / });
const counted = (words: RegExp) => page.getByRole('button', { name: words }).waitFor();
const properties = () => page.getByRole('complementary', { name: 'Properties' });

test('a problem is told by names, shown where it is, and fixed in one click', async () => {
  await open(`flows/${await flowCalled('Welcome')}/edit`);
  await counted(/^Problems: (none|\d+ warnings?)$/);
  const headline = page.getByRole('treeitem', { name: /^Plants that outlive/ });
  await headline.click();
  await properties().getByRole('button', { name: 'Reset Color', exact: true }).click();

  await counted(/^Problems: 1 error/);
  expect(await headline.getAttribute('aria-description')).toBe('1 error');
  const screen = page.locator('[data-screen]').first();
  expect(await screen.getAttribute('aria-description')).toMatch(/^1 error/);
  await properties()
    .getByRole('list', { name: 'Problems here' })
    .getByText(/has no color\./)
    .waitFor();

  await page.keyboard.press('Escape');
  await problems().click();
  const sentence = panel().getByRole('button', { name: /^Error “Plants that outlive.*” on “.*” has no color\.$/ });
  await sentence.waitFor();
  await settled(page);
  expect(await violations(page)).toEqual([]);
  await sentence.click();
  await expect.poll(() => headline.getAttribute('aria-selected')).toBe('true');

  await problems().click();
  await panel().getByRole('button', { name: 'Give it a readable color' }).click();
  await sentence.waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Undo: Give it a readable color' }).click();
  await counted(/^Problems: 1 error/);

  // From the graph it leads to where the layer is drawn.
  await page.getByRole('radiogroup', { name: 'Mode' }).getByText('Graph', { exact: true }).click();
  await page.locator('.react-flow').waitFor();
  await problems().click();
  await sentence.click();
  await page.getByRole('application', { name: 'Canvas' }).waitFor();
  await expect.poll(() => headline.getAttribute('aria-selected')).toBe('true');
});

test('what differs between platforms stands together, apart from what is wrong', async () => {
  const app = server.apps[0]!.id;
  const { createFlow } = await server.ask<{ createFlow: { id: string } }>(
    'mutation ($a: ID!) { createFlow(input: {appId: $a, name: "Camera"}) { id } }',
    { a: app },
  );
  const ask = {
    id: 'lyr_ask',
    name: 'Scan a leaf',
    kind: 'button',
    variant: 'primary',
    children: [],
    action: {
      kind: 'request_os_permission',
      permissionKey: 'camera',
      outcomes: { granted: 'continue', denied: 'continue', blocked: 'continue' },
    },
    style: { width: 32, height: 44 },
  };
  const draft = {
    schemaVersion: 7,
    flowId: createFlow.id,
    version: 1,
    defaultLocale: 'en',
    locales: ['en'],
    entryScreenId: 'scr_a',
    screens: [
      {
        id: 'scr_a',
        name: 'Camera',
        regions: { body: { id: 'lyr_body', kind: 'stack', direction: 'vertical', children: [ask] } },
        next: { default: null },
      },
    ],
  };
  await server.ask(
    'mutation ($f: ID!, $m: JSON!) { saveDraft(input: {flowId: $f, draft: $m, revision: 1}) { flow { id } } }',
    { f: createFlow.id, m: draft },
  );
  await open(`flows/${createFlow.id}/edit`);
  await counted(/^Problems: 2 warnings$/);
  await problems().click();
  const listOf = (name: string) => panel().getByRole('list', { name: `Problems of ${name}` });
  await listOf('Camera')
    .getByRole('button', { name: /^Warning “Scan a leaf” on “Camera” is 32 px wide/ })
    .waitFor();
  const differences = listOf('Differences between platforms').getByRole('listitem');
  expect(await differences.count()).toBe(1);
  await settled(page);
  expect(await violations(page)).toEqual([]);
  await differences
    .getByRole('button', {
      name: 'Warning “Scan a leaf” on “Camera” asks for a permission that counts as denied on the web.',
    })
    .click();
  await properties()
    .getByRole('list', { name: 'Problems here' })
    .getByText(/counts as denied on the web\.$/)
    .waitFor();
});

import { expect, test } from 'vitest';
import { addressOf, flowCalled, open, server, suite, visitor } from './suite';
import { serverGone, violations } from './visitor';

suite();

test('a flow is shown by its first screen, drawn by the renderer of the SDK', async () => {
  const { page } = visitor;
  await open('flows');
  const card = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Welcome', exact: true }) });
  await card.scrollIntoViewIfNeeded();
  const screen = page.frameLocator('iframe[title="First screen of Welcome"]');
  await screen.getByText('Plants that outlive').waitFor();
  const picture = screen.locator('img').first();
  await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0);
  const { app } = await server.ask<{ app: { appFlowOverview: { nodes: { flowId: string; starts: number }[] } } }>(
    `query ($app: ID!, $scope: AppFlowScope!) { app(id: $app) { appFlowOverview(scope: $scope, first: 200) { nodes { flowId starts } } } }`,
    { app: server.apps[0]!.id, scope: { timeZone: 'UTC', range: yesterdays } },
  );
  await open(`flows?range=custom&from=${dayAgo(8)}&to=${dayAgo(1)}&zone=UTC`);
  const href = await card.getByRole('link').getAttribute('href');
  const starts = app.appFlowOverview.nodes.find(({ flowId }) => href!.includes(flowId))!.starts;
  expect(starts).toBeGreaterThan(0);
  await expect.poll(() => card.locator('dd').nth(1).textContent()).toBe(starts.toLocaleString('en-US'));
});

test('nobody else may frame a preview, and it may frame nothing', async () => {
  const { headers } = await fetch(`${server.baseUrl}/preview.html`);
  expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'self'");
  expect((await fetch(`${server.baseUrl}/`)).headers.get('x-frame-options')).toBe('DENY');
});

test('a manifest is imported, and a wrong one is refused by the place of what is wrong', async () => {
  const { page } = visitor;
  await open('flows');
  await page.getByRole('button', { name: 'New flow' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Brought along');
  await dialog.getByText('Import', { exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Manifest' }).fill('{"screens": ');
  await dialog.getByRole('button', { name: 'Create flow' }).click();
  await dialog.getByText('This is not valid JSON').waitFor();
  const draft = await draftOf('How are we growing?');
  const wrong = { ...draft, entryScreenId: 'nowhere' };
  await dialog.getByRole('textbox', { name: 'Manifest' }).fill(JSON.stringify(wrong));
  await dialog.getByRole('button', { name: 'Create flow' }).click();
  await dialog.getByLabel('Problems').getByText('/entryScreenId').waitFor();
  await dialog.getByRole('textbox', { name: 'Manifest' }).fill(JSON.stringify(draft));
  await dialog.getByRole('button', { name: 'Create flow' }).click();
  await page.getByRole('heading', { level: 1, name: 'Brought along' }).waitFor();
  const imported = await draftOf('Brought along');
  expect(imported.screens).toEqual(draft.screens);
});

test('every screen of a version is shown, in each of its languages', async () => {
  const { page } = visitor;
  const flow = await flowCalled('How are we growing?');
  await open(`flows/${flow}/versions`);
  await page.getByRole('link', { name: /^v1/ }).click();
  const { screens } = await draftOf('How are we growing?');
  await expect.poll(() => page.locator('iframe').count()).toBe(screens.length);
  const first = page.frameLocator('iframe').first();
  await first.getByText('If Tendril were a plant,').waitFor();
  await page.getByRole('combobox', { name: 'Language of the screens' }).click();
  await page.getByRole('option', { name: 'German' }).click();
  await first.getByText('Wäre Tendril eine Pflanze').waitFor();
});

test('what is typed into a draft survives a server that is killed, and a tab that is closed', async () => {
  const { page } = visitor;
  const flow = await flowCalled('Before you go');
  await open(`flows/${flow}/versions?as=json`);
  const editor = page.getByRole('textbox', { name: 'Draft of Before you go as JSON' });
  const before = await draftOf('Before you go');
  const typed = { ...before, locales: [...before.locales].reverse() };
  await editor.click();
  await server.kill();
  visitor.expected = serverGone;
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(JSON.stringify(typed));
  await page.getByRole('status').getByText('Your changes are kept in this browser').waitFor();
  await page.close();
  await server.start();
  expect((await draftOf('Before you go')).locales).toEqual(before.locales);
  const tab = await visitor.context.newPage();
  await tab.goto(addressOf(`flows/${flow}/versions?as=json`));
  await expect.poll(async () => (await draftOf('Before you go')).locales).toEqual(typed.locales);
});

test('a draft that somebody else saved meanwhile is shown, and nothing is written over by itself', async () => {
  const { page } = visitor;
  const flow = await flowCalled('Reminders');
  await open(`flows/${flow}/versions?as=json`);
  const editor = page.getByRole('textbox', { name: 'Draft of Reminders as JSON' });
  const { draft, draftRevision } = await saved(flow);
  const theirs = { ...draft, theme: { ...draft.theme, accent: '#112233' } };
  const mine = { ...draft, theme: { ...draft.theme, primary: '#445566' } };
  await editor.click();
  await server.ask(
    `mutation ($f: ID!, $r: Int!, $d: JSON!) { saveDraft(input: {flowId: $f, revision: $r, draft: $d}) { problems { code } } }`,
    {
      f: flow,
      r: draftRevision,
      d: theirs,
    },
  );
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(JSON.stringify(mine));
  await page.getByText('Another member saved this draft while you worked on it').waitFor();
  expect((await saved(flow)).draft.theme).toEqual(theirs.theme);
  await page.getByText('Your changes against theirs').click();
  const changes = page.getByRole('list', { name: 'Changes' });
  await changes.getByText(/^Accent changed from #112233 to /).waitFor();
  await changes.getByText(/^Primary changed from .* to #445566$/).waitFor();
  await page.getByRole('button', { name: 'Overwrite with mine' }).click();
  await expect.poll(async () => (await saved(flow)).draft.theme).toEqual(mine.theme);
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
});

test('a wrong draft says where, a right one is published, served and rolled back', async () => {
  const { page } = visitor;
  const flow = await flowCalled('How are we growing?');
  const { draft, draftRevision } = await saved(flow);
  await server.ask(
    `mutation ($f: ID!, $r: Int!, $d: JSON!) { saveDraft(input: {flowId: $f, revision: $r, draft: $d}) { problems { code } } }`,
    { f: flow, r: draftRevision, d: { ...draft, entryScreenId: 'nowhere' } },
  );
  await open(`flows/${flow}/versions?as=json`);
  await page.getByLabel('Problems').getByRole('button', { name: '/entryScreenId' }).click();
  const line = await page.locator('.cm-activeLine').textContent();
  expect(line).toContain('"entryScreenId": "nowhere"');
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('dialog').getByText('Fix these problems to publish the draft').waitFor();
  const found = page.getByRole('dialog').getByRole('list', { name: 'Problems' });
  await found
    .getByRole('button', { name: /^Error / })
    .first()
    .waitFor();
  expect(await found.innerText()).not.toMatch(/entryScreenId|nowhere|\/screens|scr_/);
  await page.keyboard.press('Escape');
  await page.getByRole('textbox', { name: /^Draft of How are we growing/ }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(JSON.stringify({ ...draft, theme: { ...draft.theme, borderRadius: 4 } }));
  await page.getByLabel('Problems').getByText('/entryScreenId').waitFor({ state: 'detached' });
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Publish' }).click();
  const dialog = page.getByRole('dialog');
  const since = dialog.getByRole('region', { name: 'Changes since v1' });
  await since.getByText(/^Corners (set|changed from \d+) to 4$/).waitFor();
  await dialog.getByText(/^(About [\d,]+ users? per day, )?[\d,]+ users? in the last 7 days$/).waitFor();
  await dialog.getByLabel('Label').fill('Sharper corners');
  await dialog.getByLabel(/^Survey gets the new version instead of v1/).check();
  // Cut off between the two, it goes on with what it has published.
  const errors = [{ message: 'the server is stopping', extensions: { code: 'unavailable' } }];
  await page.route('**/graphql', (route) =>
    route.request().postData()?.includes('"operationName":"Pin"')
      ? route.fulfill({ json: { data: null, errors } })
      : route.fallback(),
  );
  await dialog.getByRole('button', { name: 'Publish and set live' }).click();
  await dialog.getByText(/^Version 2 is published, and not live everywhere yet\./).waitFor();
  expect(await served('Survey')).toBe(1);
  await page.unroute('**/graphql');
  await dialog.getByRole('button', { name: 'Set live', exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await served('Survey')).toBe(2);
  await page.getByRole('link', { name: 'v2 Sharper corners' }).click();
  await page.getByText('Compare', { exact: true }).click();
  await page
    .getByRole('list', { name: 'Changes' })
    .getByText(/^Corners /)
    .waitFor();
  await page.getByRole('radiogroup', { name: 'Show changes as' }).getByText('JSON').click();
  await page.getByRole('list', { name: 'Changes as JSON' }).getByText('/theme/borderRadius').waitFor();
  await page.getByRole('link', { name: /^v1/ }).click();
  await page.getByRole('button', { name: 'Roll back to this version' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back Survey', exact: true }).click();
  await expect.poll(() => served('Survey')).toBe(1);
});

test('comparing says what changed by screens and layers, and outlines it before and after', async () => {
  const { page } = visitor;
  const flow = await flowCalled('Welcome');
  const { draft, draftRevision } = await saved(flow);
  const changed = JSON.parse(JSON.stringify(draft).replace('Plants that outlive', 'Plants that outgrow')) as Draft;
  const screens = changed.screens as { id: string; name: string; regions: { body: { children: { id: string }[] } } }[];
  const last = screens.at(-1)!;
  last.name = 'The last one';
  await server.ask(
    `mutation ($f: ID!, $r: Int!, $d: JSON!) { saveDraft(input: {flowId: $f, revision: $r, draft: $d}) { problems { code } } }`,
    { f: flow, r: draftRevision, d: changed },
  );
  await open(`flows/${flow}/versions?as=compare`);
  const changes = page.getByRole('list', { name: 'Changes', exact: true });
  await changes.getByText(/^Text changed from “Plants that outlive.*” to “Plants that outgrow.*”$/).waitFor();
  await changes.getByText(/^Name changed from “.*” to “The last one”$/).waitFor();
  expect(await changes.innerText()).not.toMatch(/(lyr|scr)_|\/screens/);
  for (const [version, words] of [
    ['v2', 'outlive'],
    ['Draft', 'outgrow'],
  ] as const) {
    const text = changes.frameLocator(`iframe[title$=" in ${version}"]`).getByText(`Plants that ${words}`);
    const outlined = text.locator('xpath=ancestor-or-self::*[@data-layer]').last();
    await expect.poll(() => outlined.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('solid');
  }
  // A name does not show on a screen.
  expect(await page.locator('iframe').count()).toBe(2);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page)).toEqual([]);
  }
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('dialog').getByRole('list', { name: 'Changes', exact: true }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('radiogroup', { name: 'Show changes as' }).getByText('Words').click();
  await expect.poll(() => page.locator('iframe').count()).toBe(0);
});

test('before publishing, simulated reach names steps and questions that recorded runs say nothing of', async () => {
  const { page } = visitor;
  const flow = await flowCalled('Welcome');
  const { draft, draftRevision } = await saved(flow);
  const asks = (id: string, fieldKey: string) => ({
    id: `scr_${id}`,
    name: `Added ${id}`,
    next: { default: null },
    regions: {
      body: {
        id: `lyr_${id}_body`,
        kind: 'stack',
        direction: 'vertical',
        children: [
          {
            id: `lyr_${id}_input`,
            kind: 'text_input',
            fieldKey,
            inputType: 'plain',
            classification: 'safe',
            required: false,
            placeholder: { default: 'Anything' },
          },
          { id: `lyr_${id}_go`, kind: 'button', variant: 'primary', action: { kind: 'continue' }, children: [] },
        ],
      },
    },
  });
  const screens = draft.screens as unknown as object[];
  const changed = { ...draft, screens: [...screens, asks('alone', 'nickname')] };
  await server.ask(
    `mutation ($f: ID!, $r: Int!, $d: JSON!) { saveDraft(input: {flowId: $f, revision: $r, draft: $d}) { problems { code } } }`,
    { f: flow, r: draftRevision, d: changed },
  );
  const pictures = process.env.E2E_PICTURES;
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await open(`flows/${flow}/versions`);
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      const reach = page.getByRole('dialog').getByRole('region', { name: 'Simulated reach' });
      await reach.getByText(/^The last [\d,]+ runs of [\d,]+ users, replayed through v\d+ and the draft\./).waitFor();
      const fold = async (title: RegExp) => {
        const list = reach.getByRole('list', { name: title, includeHidden: true });
        if (!(await list.isVisible())) await reach.getByText(title).click();
        return list;
      };
      const steps = await fold(/^\d+ steps? that no run reaches$/);
      await steps.getByText('Added alone: no way from the first screen leads there').waitFor();
      const questions = await fold(/^\d+ questions? without recorded answers$/);
      await questions.getByText('nickname on Added alone: no run leaves its screen, so nobody answers it').waitFor();
      await reach.scrollIntoViewIfNeeded();
      if (pictures) await page.screenshot({ path: `${pictures}/reach-${width}-${colorScheme}.png` });
      expect([width, colorScheme, await violations(page)]).toEqual([width, colorScheme, []]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      await page.keyboard.press('Escape');
    }
  await page.setViewportSize({ width: 1440, height: 900 });
  const now = await saved(flow);
  await server.ask(
    `mutation ($f: ID!, $r: Int!, $d: JSON!) { saveDraft(input: {flowId: $f, revision: $r, draft: $d}) { problems { code } } }`,
    { f: flow, r: now.draftRevision, d: draft },
  );
});

test('what is published is what was looked at, and who changed the draft meanwhile is said', async () => {
  const { page } = visitor;
  const flow = await flowCalled('Before you go');
  const rename = async (name: string) => {
    const { draft, draftRevision } = await saved(flow);
    const [first, ...others] = draft.screens as { name: string }[];
    await server.ask(
      `mutation ($f: ID!, $r: Int!, $d: JSON!) { saveDraft(input: {flowId: $f, revision: $r, draft: $d}) { problems { code } } }`,
      { f: flow, r: draftRevision, d: { ...draft, screens: [{ ...first, name }, ...others] } },
    );
  };
  await open(`flows/${flow}/versions`);
  await page.getByRole('button', { name: 'Publish' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Label').fill('Looked at');
  await rename('A last question');
  await dialog.getByRole('button', { name: 'Publish' }).click();
  const moved = dialog.getByRole('alert').filter({ hasText: 'Nothing was published' });
  await moved.getByText(/: Change the name of /).waitFor();
  await moved.getByRole('button', { name: 'Look again' }).click();
  await dialog.getByLabel('Label').fill('Looked at again');
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('link', { name: /^v\d+ Looked at again/ }).click();
  expect(await page.getByRole('link', { name: /^v\d+ Looked at/ }).count()).toBe(1);
  await page.getByRole('link', { name: 'A last question' }).waitFor();
});

test('what was asked to be published is read, declined, and published with its label', async () => {
  const { page } = visitor;
  const flow = await flowCalled('Before you go');
  const ask = async (label: string) => {
    const { draftRevision } = await saved(flow);
    await server.ask(
      'mutation ($f: ID!, $r: Int!, $l: String!, $t: String!) { requestPublish(input: {flowId: $f, revision: $r, label: $l, text: $t}) { id } }',
      { f: flow, r: draftRevision, l: label, t: 'Half of them left <b>here</b>.' },
    );
  };
  await ask('First try');
  await open(`flows/${flow}/versions`);
  const request = page.getByRole('region', { name: 'Request to publish' });
  await request.getByText('asks to publish the draft: First try').waitFor();
  await request.getByText('Half of them left <b>here</b>.').waitFor();
  await request.getByRole('link', { name: 'Compare' }).click();
  await page.getByText('What has changed since').waitFor();
  await request.getByRole('button', { name: 'Decline' }).click();
  await request.waitFor({ state: 'hidden' });
  await ask('Second try');
  await open(`flows/${flow}/versions`);
  await request.getByRole('link', { name: 'Publish…' }).click();
  const dialog = page.getByRole('dialog');
  await expect.poll(() => dialog.getByLabel('Label').inputValue()).toBe('Second try');
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('link', { name: /^v\d+ Second try/ }).waitFor();
  await request.waitFor({ state: 'hidden' });
});

test('an experiment is planned, checked, started and its winner promoted', async () => {
  const { page } = visitor;
  await open('experiments');
  await page.getByRole('button', { name: 'New experiment' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Hypothesis').fill('Ask before reminding?');
  for (const [label, option] of [
    ['Channel', 'Reminders'],
    ['Version of variant 1', 'Reminders v1'],
    ['Version of variant 2', 'Before you go v1'],
    ['Split by', 'Custom user ID'],
  ] as const) {
    await dialog.getByRole('combobox', { name: label }).click();
    await page.getByRole('option', { name: new RegExp(`^${option}`) }).click();
  }
  await dialog.getByText('keeps the variant that was served first, on all devices').waitFor();
  await dialog.getByRole('button', { name: 'Create draft' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ask before reminding?' }).waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1)!;
  for (const [option, splitBy] of [
    ['Device', 'DEVICE'],
    ['Custom user ID', 'CUSTOM_USER_ID'],
  ] as const) {
    await page.getByRole('combobox', { name: 'Split by' }).click();
    await page.getByRole('option', { name: option }).click();
    await expect.poll(() => splitOf(id)).toBe(splitBy);
  }
  await page.getByLabel('Minimum detectable effect, in points').fill('20');
  await page.getByRole('button', { name: 'Update plan' }).click();
  const planned = async () => {
    const { experimentPlan } = await server.ask<{ experimentPlan: { effect: number; peoplePerArm: number } }>(
      `query ($id: ID!) { experimentPlan(id: $id) { effect peoplePerArm } }`,
      { id },
    );
    return experimentPlan;
  };
  await expect.poll(async () => (await planned()).effect).toBe(0.2);
  await page.getByText(`Each variant needs ${(await planned()).peoplePerArm.toLocaleString('en-US')} users`).waitFor();
  await page.getByRole('button', { name: 'Add variant' }).click();
  await page.getByLabel('Name of variant 3').fill('Welcome again');
  expect(await page.getByRole('button', { name: 'Save variants' }).isDisabled()).toBe(true);
  await page.getByRole('combobox', { name: 'Version of variant 3' }).click();
  await page.getByRole('option', { name: /^Welcome v1/ }).click();
  await page.getByLabel('Weight of variant 3').fill('2');
  await page.getByRole('button', { name: 'Save variants' }).click();
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('Ready to start.').waitFor();
  expect(await armsOf(id)).toEqual(['control 1 Reminders', 'variant 1 Before you go', 'variant-2 2 Welcome']);
  expect(await statusOf(id)).toBe('DRAFT');
  await page.getByRole('button', { name: 'Start experiment' }).click();
  await page.getByText('Split by custom user ID.').waitFor();
  await page.getByRole('button', { name: 'Stop or promote' }).click();
  expect(await statusOf(id)).toBe('RUNNING');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Extend' }).click();
  await page.getByLabel('New end').fill('60');
  await page.getByRole('button', { name: 'Set end date' }).click();
  const inDays = async () => {
    const { experiment } = await server.ask<{ experiment: { endsAt: string } }>(
      `query ($id: ID!) { experiment(id: $id) { endsAt } }`,
      { id },
    );
    return Math.round((Date.parse(experiment.endsAt) - Date.now()) / 86_400_000);
  };
  await expect.poll(inDays).toBe(60);
  await page.getByRole('button', { name: 'Stop or promote' }).click();
  await dialog.getByRole('combobox', { name: 'Live version after the experiment' }).click();
  await page.getByRole('option', { name: 'Promote Variant' }).click();
  await dialog.getByText('Reminders serves Before you go v1 to all users').waitFor();
  await dialog.getByRole('button', { name: 'Promote Variant' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await statusOf(id)).toBe('STOPPED');
  const { experiment } = await server.ask<{ experiment: { channel: { version: { flow: { name: string } } } } }>(
    `query ($id: ID!) { experiment(id: $id) { channel { version { flow { name } } } } }`,
    { id },
  );
  expect(experiment.channel.version.flow.name).toBe('Before you go');
});

async function splitOf(id: string) {
  const { experiment } = await server.ask<{ experiment: { splitBy: string } }>(
    `query ($id: ID!) { experiment(id: $id) { splitBy } }`,
    { id },
  );
  return experiment.splitBy;
}

async function statusOf(id: string): Promise<string> {
  const { experiment } = await server.ask<{ experiment: { status: string } }>(
    `query ($id: ID!) { experiment(id: $id) { status } }`,
    { id },
  );
  return experiment.status;
}

async function armsOf(id: string): Promise<string[]> {
  type Arm = { key: string; weight: number; version: { flow: { name: string } } };
  const { experiment } = await server.ask<{ experiment: { variants: Arm[] } }>(
    `query ($id: ID!) { experiment(id: $id) { variants { key weight version { flow { name } } } } }`,
    { id },
  );
  return experiment.variants.map(({ key, weight, version }) => `${key} ${weight} ${version.flow.name}`);
}

type Draft = { screens: unknown[]; locales: string[]; theme: Record<string, unknown> };

async function saved(id: string): Promise<{ draft: Draft; draftRevision: number }> {
  const { flow } = await server.ask<{ flow: { draft: Draft; draftRevision: number } }>(
    `query ($id: ID!) { flow(id: $id) { draft draftRevision } }`,
    { id },
  );
  return flow;
}

const draftOf = async (name: string): Promise<Draft> => (await saved(await flowCalled(name))).draft;

/** The number of the version that a live channel serves. */
async function served(channel: string): Promise<number | undefined> {
  const { app } = await server.ask<{
    app: { environment: { channels: { nodes: { name: string; version: { number: number } | null }[] } } };
  }>(`query ($app: ID!) { app(id: $app) { environment { channels { nodes { name version { number } } } } } }`, {
    app: server.apps[0]!.id,
  });
  return app.environment.channels.nodes.find(({ name }) => name === channel)?.version?.number;
}

const dayAgo = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10);
const yesterdays = { start: `${dayAgo(8)}T00:00:00Z`, end: `${dayAgo(0)}T00:00:00Z` };

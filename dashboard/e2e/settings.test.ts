import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { askAs, somebody } from './people';
import { addressOf, browser, open, page, server, suite, visitor } from './suite';
import { ask, settled, type Visitor, visit } from './visitor';

suite();

/** Asks with a key. */
async function askWith(key: string, query: string): Promise<{ data: unknown; errors?: unknown }> {
  const answer = await fetch(`${server.baseUrl}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
    body: JSON.stringify({ query }),
  });
  return (await answer.json()) as { data: unknown; errors?: unknown };
}

test('a key is shown once, does what it was given, and stops when it is revoked', async () => {
  await open('settings');
  await page.getByLabel('Name of the key').fill('Nightly report');
  await page.getByRole('combobox', { name: 'Scopes of the key' }).click();
  await page.getByRole('option', { name: 'analytics:read' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Create key' }).click();
  const secret = (await page.getByRole('status').locator('code').textContent())!;
  expect(secret).toMatch(/^svc_wk_/);
  const viewer = '{ viewer { workspaces { nodes { capabilities } } } }';
  expect(await askWith(secret, viewer)).toMatchObject({
    data: { viewer: { workspaces: { nodes: [{ capabilities: ['ANALYTICS_READ'] }] } } },
  });
  await page.reload();
  const row = page.getByRole('listitem').filter({ hasText: 'Nightly report' });
  await row.getByText(`…${secret.slice(-4)}`).waitFor();
  expect(await page.content()).not.toContain(secret);
  await row.getByRole('button', { name: 'Revoke' }).click();
  await row.getByRole('button', { name: 'Programs that use it are refused. Revoke?' }).click();
  await row.getByText('revoked').waitFor();
  expect((await askWith(secret, viewer)).errors).toBeTruthy();
});

test('a billing provider is connected, its secrets are rotated, and what it refused is said', async () => {
  await open('settings?tab=money');
  const before = page.getByRole('region', { name: 'Web checkout' });
  await before.getByRole('button', { name: 'Disconnect' }).click();
  await before.getByRole('button', { name: 'Its deliveries are refused from then on. Disconnect?' }).click();
  await before.waitFor({ state: 'detached' });
  await page.getByRole('combobox', { name: 'Provider', exact: true }).click();
  await page.getByRole('option', { name: 'Superwall' }).click();
  await page.getByLabel('Name of the connection').fill('Second checkout');
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  const connection = page.getByRole('region', { name: 'Second checkout' });
  await connection.getByText('No secret yet').waitFor();
  for (const secret of ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD']) {
    await connection.getByRole('button', { name: 'Add provider’s secret' }).click();
    await connection.getByLabel('Signing secret that the provider shows').fill(secret);
    await connection.getByRole('button', { name: 'Add secret' }).click();
    await connection.getByText(`…${secret.slice(-4)}`).waitFor();
  }
  await connection.getByRole('listitem').filter({ hasText: '…LaSw' }).getByRole('button', { name: 'Remove' }).click();
  await connection.getByRole('button', { name: 'Deliveries signed with it are refused. Remove?' }).click();
  await connection.getByText('…LaSw').waitFor({ state: 'detached' });
  await connection.getByRole('button', { name: 'Send a test event' }).click();
  await connection
    .getByRole('status')
    .getByText(/^Accepted and booked in \d+ ms/)
    .waitFor();
  await connection.getByText(/^Last delivery/).waitFor();
  const address = (await connection.locator('code').first().textContent())!;
  const headers = {
    'svix-id': 'm',
    'svix-timestamp': String(Math.floor(Date.now() / 1000)),
    'svix-signature': 'v1,AAAA',
  };
  const refused = await fetch(address, { method: 'POST', headers, body: '{}' });
  expect(refused.ok).toBe(false);
  await page.reload();
  await connection.getByText(/^Refused .*: ./).waitFor();
});

test('what was used is there by day and by app', async () => {
  await open('settings?tab=plan');
  const row = page.getByRole('region', { name: 'App', exact: true }).getByRole('row').nth(1);
  await row.getByText(server.apps[0]!.name).waitFor();
  expect(await row.textContent()).toMatch(/[1-9]/);
  await page.getByRole('img', { name: /^Events by day/ }).waitFor();
  expect(await page.getByText('Monthly active users').count()).toBe(0); // nobody is counted without a limit
});

test('what is kept, and for how long, is said and changed', async () => {
  await open('settings?tab=data');
  await page.getByLabel('Track events').fill('400');
  await page.getByRole('button', { name: 'Delete data older than 400 days' }).click();
  await expect.poll(kept).toEqual([{ kind: 'TRACK', days: 400 }]);
  await page.getByLabel('Track events').fill('');
  await page.getByRole('button', { name: 'Keep', exact: true }).click();
  await expect.poll(kept).toEqual([]);
});

test('what is typed while a change is saved and asked for again stays, and other fields show what is saved', async () => {
  const keep = (kind: string, days: number | null) =>
    ask(page, `mutation ($input: SetRetentionInput!) { setRetention(input: $input) { id } }`, {
      input: { appId: server.apps[0]!.id, kind, days },
    });
  const days = (name: string) => page.getByLabel(name, { exact: true });
  await open('settings?tab=data');
  await days('Track events').fill('400');
  // The answers to whoever asks for the settings again wait.
  let release = () => {};
  const gate = new Promise<void>((open) => (release = open));
  await page.route('**/graphql', async (route) => {
    if (route.request().postDataJSON().operationName === 'Settings') await gate;
    await route.continue();
  });
  const again = page.waitForRequest((request) => request.postDataJSON()?.operationName === 'Settings');
  await page.getByRole('button', { name: 'Delete data older than 400 days' }).click();
  await again;
  await keep('PRODUCT', 500);
  await days('Track events').fill('450');
  await days('Flow runs').fill('200');
  await page.getByLabel('Run timeout').fill('45');
  release();
  await expect.poll(() => days('Web and product events').inputValue()).toBe('500 days');
  expect(await days('Track events').inputValue()).toBe('450 days');
  expect(await days('Flow runs').inputValue()).toBe('200 days');
  expect(await page.getByLabel('Run timeout').inputValue()).toBe('45 minutes of inactivity');
  // It can be saved as it stands, and is compared with what is saved now: 450 is longer.
  await page.getByRole('button', { name: 'Keep', exact: true }).click();
  await expect.poll(kept).toEqual([
    { kind: 'PRODUCT', days: 500 },
    { kind: 'TRACK', days: 450 },
  ]);
  await page.getByRole('button', { name: 'Keep', exact: true }).waitFor({ state: 'detached' });
  // What was typed is no draft any more once it is saved: the field shows what others save after it.
  await keep('TRACK', null);
  await keep('PRODUCT', null);
  await days('Flow runs').fill('');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(() => days('Track events').inputValue()).toBe('');
  expect(await page.getByLabel('Run timeout').inputValue()).toBe('45 minutes of inactivity');
});

test('the history is filtered by the server over all its rows, and a link shows the same', async () => {
  await open('settings?tab=history');
  await page.getByLabel('Action or id').fill('flow.publish');
  const rows = page.getByRole('region', { name: 'Audit log' }).getByRole('listitem');
  const { viewer } = (await ask(
    page,
    `{ viewer { workspaces(first: 1) { nodes { workspace {
      auditLog(filter: {text: "flow.publish"}, first: 1) { totalCount } } } } } }`,
    {},
  )) as { viewer: { workspaces: { nodes: { workspace: { auditLog: { totalCount: number } } }[] } } };
  const { workspace } = viewer.workspaces.nodes[0]!;
  const total = workspace.auditLog.totalCount;
  expect(total).toBeGreaterThan(0);
  await page.getByText(`${Math.min(100, total)} of ${total} changes`).waitFor();
  expect(new Set(await rows.locator('b').allInnerTexts())).toEqual(
    new Set(['Published a version of a flow\nflow.publish']),
  );
  await page.getByRole('combobox', { name: 'Changed by' }).click();
  await page.getByRole('option', { name: 'System' }).click();
  await page.getByText('No matching changes.').waitFor();
  await page.reload();
  await page.getByText('No matching changes.').waitFor();
});

test('a viewer neither sees nor can do what a viewer may not', async () => {
  await open('settings?tab=people');
  await page.getByLabel('Email of the new member').fill('viewer@example.com');
  await page.getByRole('button', { name: 'Invite' }).click();
  const link = (await page.getByRole('status').locator('code').textContent())!;
  const token = new URL(link).searchParams.get('token')!;
  const viewer = await visit(browser, server);
  await viewer.page.goto(server.baseUrl);
  const entered = await viewer.page.evaluate(async (token) => {
    const answer = await fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        query:
          'mutation ($t: String!) { completeSetup(input: {token: $t, password: "a long password", name: "V"}) { userId } }',
        variables: { t: token },
      }),
    });
    return (await answer.json()) as { errors?: unknown };
  }, token);
  expect(entered.errors).toBeUndefined();
  const buttons: Record<string, RegExp> = {
    flows: /New flow/,
    channels: /New channel/,
    settings: /Revoke|New (live|test) key/,
    'settings?tab=people': /Invite|Remove|Take back/,
    'settings?tab=money': /Connect|Whose is it/,
    'settings?tab=data': /Save|Keep/,
    'settings?tab=history': /Read more rows/,
  };
  for (const [path, forbidden] of Object.entries(buttons)) {
    for (const [who, seen] of [
      [viewer.page, false],
      [page, true],
    ] as const) {
      await who.goto(addressOf(path));
      await who.getByRole('heading', { level: 1 }).waitFor();
      await who.waitForFunction(() => !document.querySelector('[aria-busy=true]'));
      const names = await who.getByRole('main').getByRole('button').allTextContents();
      // What an administrator is offered shows that the page has it at all.
      if (!seen) expect([path, names.filter((name) => forbidden.test(name))]).toEqual([path, []]);
      else if (!/data|history|people/.test(path))
        expect([path, names.some((name) => forbidden.test(name))]).toEqual([path, true]);
    }
  }
  await viewer.context.close();
});

test('who gives the workspace away loses what only its owner may do at once, on every page and by GraphQL', async () => {
  const [heir, third] = [await somebody(visitor, 'ADMIN'), await somebody(visitor, 'VIEWER')];
  const { members, workspace } = await membersOf(visitor);
  const idOf = async (who: Visitor) =>
    (await askAs<{ viewer: { userId: string } }>(who, '{ viewer { userId } }')).data.viewer.userId;
  const [mine, theirs, other] = [await idOf(visitor), await idOf(heir), await idOf(third)];
  const emailOf = (id: string) => members.find(({ user }) => user.id === id)!.user.email;
  const row = (at: Page, id: string) => at.getByRole('listitem').filter({ hasText: emailOf(id) });
  const give = async (at: Page, id: string) => {
    await row(at, id).getByRole('button', { name: 'Transfer ownership' }).click();
    const sure = at.getByRole('dialog').getByRole('button', { name: 'Transfer ownership' });
    expect(await sure.isDisabled()).toBe(true);
    await at.getByRole('textbox', { name: `Type ${emailOf(id)} to confirm` }).fill(emailOf(id));
    await sure.click();
  };
  const owners = async () =>
    (await membersOf(visitor)).members.filter(({ role }) => role === 'OWNER').map(({ user }) => user.id);
  const transfer = async (who: Visitor, to: string) =>
    (
      await askAs(
        who,
        `mutation ($w: ID!, $u: ID!) { transferOwnership(input: {workspaceId: $w, userId: $u}) { id } }`,
        { w: workspace, u: to },
      )
    ).errors?.[0]?.extensions.code;
  const before = await visitor.context.newPage(); // a tab that is open meanwhile, and goes on offering it
  for (const tab of [before, page, heir.page]) {
    await tab.goto(addressOf('settings?tab=people'));
    await settled(tab);
  }
  expect(await heir.page.getByRole('button', { name: 'Transfer ownership' }).count()).toBe(0);
  expect(await transfer(heir, theirs)).toBe('forbidden');

  await give(page, theirs);
  await row(page, theirs).getByText('Owner', { exact: true }).waitFor();
  await row(page, mine).getByText('Administrator', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Transfer ownership' }).count()).toBe(0);
  expect(await row(page, theirs).getByRole('button').count()).toBe(0); // nobody removes or demotes the owner
  expect(await transfer(visitor, mine)).toBe('forbidden');
  await give(before, other);
  await before
    .getByRole('dialog')
    .getByText(/^Not allowed\./)
    .waitFor();
  expect(await owners()).toEqual([theirs]);

  // Whom it was given to has them as soon as the page is opened, and only they can give it back.
  await heir.page.reload();
  await give(heir.page, mine);
  await row(heir.page, mine).getByText('Owner', { exact: true }).waitFor();
  expect(await owners()).toEqual([mine]);
  expect(await transfer(heir, theirs)).toBe('forbidden');
});

/** The workspace that somebody is in, and who else is. */
async function membersOf(who: Visitor) {
  type Member = { role: string; user: { id: string; email: string } };
  type Found = { viewer: { workspaces: { nodes: { workspace: { id: string; members: { nodes: Member[] } } }[] } } };
  const { data } = await askAs<Found>(
    who,
    '{ viewer { workspaces(first: 1) { nodes { workspace { id members { nodes { role user { id email } } } } } } } }',
  );
  const { id, members } = data.viewer.workspaces.nodes[0]!.workspace;
  return { workspace: id, members: members.nodes };
}

async function kept(): Promise<unknown> {
  const { app } = await server.ask<{ app: { retention: unknown } }>(
    `query ($app: ID!) { app(id: $app) { retention { kind days } } }`,
    { app: server.apps[0]!.id },
  );
  return app.retention;
}

/** Reads an email that svc dev kept, when it is there. */
async function outbox(subject: string) {
  const emails = page.getByRole('navigation', { name: 'Emails' });
  await expect
    .poll(
      async () => {
        await page.goto(`${server.baseUrl}/dev/outbox`);
        return emails.getByRole('link', { name: subject }).count();
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThan(0);
  await emails.getByRole('link', { name: subject }).first().click();
}

test('a report is scheduled, previewed, sent, paused, ended by its email, and deleted', async () => {
  await open('settings?tab=notifications');
  await page.getByRole('button', { name: 'Send link' }).click();
  await page.getByText('A link is on its way').waitFor();
  await outbox('Confirm');
  await page.getByRole('link', { name: 'Text', exact: true }).click();
  const text = await page.getByLabel('The email as text').innerText();
  await page.goto(/http\S+\/mail\/confirm\?token=\S+/.exec(text)![0]);
  await page.getByRole('button', { name: 'Confirm address' }).click();
  await page.getByText('Address confirmed').waitFor();

  await open('settings?tab=reports');
  await page.getByRole('button', { name: 'New report' }).click();
  const form = page.getByRole('dialog', { name: 'New report' });
  await form.getByText('Monthly', { exact: true }).click();
  await form.getByRole('combobox', { name: 'Time zone' }).fill('Europe/Ber');
  await page.getByRole('option', { name: 'Europe/Berlin', exact: true }).click();
  await form.getByRole('button', { name: 'Schedule report' }).click();
  await form.waitFor({ state: 'detached' });
  const report = page.getByRole('listitem').filter({ hasText: `Monthly to ${server.admin.email}` });
  await report.getByText(/^Next: .* Europe\/Berlin/).waitFor();

  await report.getByRole('button', { name: 'Preview' }).click();
  const preview = page.getByRole('dialog', { name: 'Preview' });
  const subject = await preview.getByRole('heading', { level: 3 }).innerText();
  await preview.getByTitle('The email').contentFrame().getByText('Visitors').first().waitFor();
  await preview.getByRole('button', { name: 'Close' }).click();

  await report.getByRole('button', { name: 'Send now' }).click();
  await report.getByRole('status').getByText('Sent.').waitFor();
  await report.getByRole('button', { name: 'Pause' }).click();
  await report.getByText('Paused').waitFor();
  await report.getByRole('button', { name: 'Resume' }).click();
  await report.getByText(/^Next: /).waitFor();

  await outbox(subject);
  await page.getByTitle('The email').contentFrame().getByText('Visitors').first().waitFor();
  await page.getByRole('article').getByRole('link', { name: 'Unsubscribe' }).click();
  await page.getByRole('button', { name: 'Unsubscribe' }).click();
  await page.getByText(/^The report of .* has stopped\./).waitFor();
  await open('settings?tab=reports');
  await report.getByText('Paused').waitFor();
  await report.getByRole('button', { name: 'Delete' }).click();
  await report.getByRole('button', { name: 'Delete this report' }).click();
  await report.waitFor({ state: 'detached' });
});

test('history of another tool is uploaded, previewed, imported with refused lines, and removed', async () => {
  await open('settings?tab=import');
  await page.getByRole('combobox', { name: 'Source' }).click();
  await page.getByRole('option', { name: 'CSV', exact: true }).click();
  const rows = Array.from({ length: 40 }, (_, n) => `e${n},page_view,2021-03-01 10:00:${10 + n},u${n},/old`);
  const broken = 'b1,page_view,yesterday,u1,<script>alert(1)</script>';
  const csv = ['event_id,name,occurred_at,app_user_id,page', broken, ...rows].join('\n');
  await page
    .getByLabel('File to import')
    .setInputFiles({ name: 'old <b>.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  const preview = page.getByRole('dialog', { name: 'Preview' });
  await preview.getByText(/^Line 2: occurred_at is not a date-time/).waitFor();
  await preview.getByRole('combobox', { name: 'Time zone' }).fill('Asia/Tok');
  await page.getByRole('option', { name: 'Asia/Tokyo', exact: true }).click();
  await preview.getByRole('cell', { name: '/old' }).first().waitFor();
  await preview.getByRole('button', { name: 'Import old <b>.csv' }).click();
  await preview.waitFor({ state: 'detached' });
  const row = page.getByRole('listitem').filter({ hasText: 'old <b>.csv' });
  await row.getByText('40 stored · 1 refused').waitFor();
  await row.getByText(/times in Asia\/Tokyo/).waitFor();
  const download = page.waitForEvent('download');
  await row.getByRole('button', { name: 'Download refused lines' }).click();
  expect((await download).suggestedFilename()).toContain('refused lines.csv');
  await row.getByRole('button', { name: 'Remove' }).click();
  await row.getByRole('button', { name: 'Remove its events from all reports' }).click();
  await row.waitFor({ state: 'detached' });
});

test('totals of days that another tool counted are shown beside our numbers, not under a filter, and removed', async () => {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const tables = {
    'imported_visitors.csv': `date,visitors,pageviews,bounces,visits,visit_duration
${day(4)},10,40,5,20,600
${day(3)},6,12,3,8,80
yesterday,1,1,1,1,1`,
    'imported_sources.csv': `date,source,referrer,utm_source,utm_medium,utm_campaign,utm_content,utm_term,visitors,visits,visit_duration,bounces,pageviews
${day(3)},<b>Elsewhere</b>,,,,,,,5,9,100,2,20`,
  };
  const stored = { 'imported_visitors.csv': '2 stored · 1 refused', 'imported_sources.csv': '1 stored' };
  await open('settings?tab=import');
  for (const [name, content] of Object.entries(tables)) {
    await page.getByRole('combobox', { name: 'Source' }).click();
    await page.getByRole('option', { name: 'Plausible', exact: true }).click();
    await page.getByLabel('File to import').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });
    const preview = page.getByRole('dialog', { name: 'Preview' });
    await preview.getByText(/^Totals per day, no events/).waitFor();
    await preview
      .getByRole('cell', { name: day(3) })
      .first()
      .waitFor();
    await preview.getByRole('button', { name: `Import ${name}` }).click();
    await preview.waitFor({ state: 'detached' });
    const row = page.getByRole('listitem').filter({ hasText: name });
    await row.getByText(stored[name as keyof typeof stored]).waitFor();
  }

  await open('home?range=7d');
  await page.getByText(/^Hatched: 16 visitors\. Totals imported from Plausible are of days/).waitFor();
  await open('acquisition?dimension=SOURCE&range=7d');
  const beside = page.getByRole('region', { name: 'Imported: Source' });
  await beside.getByText('<b>Elsewhere</b>').waitFor();
  await open('home?range=7d&f=is,country,BR');
  await page.getByText('Totals imported from Plausible are left out').waitFor();

  await open('settings?tab=import');
  for (const name of Object.keys(tables)) {
    const row = page.getByRole('listitem').filter({ hasText: name });
    await row.getByRole('button', { name: 'Remove' }).click();
    await row.getByRole('button', { name: /^Remove its .* from all reports$/ }).click();
    await row.waitFor({ state: 'detached' });
  }
  await open('home?range=7d');
  await page.locator('main [aria-pressed] b').first().waitFor();
  await expect.poll(() => page.getByText('imported from Plausible').count()).toBe(0);
});

import { expect, test } from 'vitest';
import { open, page, server, suite } from './suite';

suite();

const form = (title: string) => page.getByRole('dialog', { name: title });

test('an alert shows what it would have told, is added, paused, changed and deleted', async () => {
  await open('alerts');
  const fired = page.getByRole('listitem').filter({ hasText: 'A campaign takes off' }); // the demo's
  await fired.getByText('Firing').waitFor();
  await fired.getByRole('button', { name: /^Edit/ }).click();
  await form('Edit alert').getByText('Would have fired once in the last 90 days.').waitFor();
  await form('Edit alert').getByRole('button', { name: 'Delete…' }).click();
  await form('Edit alert').getByRole('button', { name: 'Delete for all members' }).click();
  await page.getByText('No alerts yet').waitFor();
  await page.getByRole('button', { name: 'Add alert' }).first().click();
  const adding = form('Add alert');
  const choose = async (label: string, option: string) => {
    await adding.getByRole('combobox', { name: label, exact: true }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  await adding.getByText('Silent until there are 3 weeks of data').waitFor();
  await choose('Kind of condition', 'is below');
  await adding.getByText('Complete the sentence').waitFor();
  await adding.getByLabel('Number').fill('1000000');
  await adding.getByText('Would have fired once').waitFor();
  expect(await adding.getByRole('textbox', { name: 'Name' }).inputValue()).toBe(
    'Visitors per hour below 1000000, 2 of 2 times',
  );
  await adding.getByRole('textbox', { name: 'Name' }).fill('<img src=x onerror=alert(1)>');
  await adding.getByRole('button', { name: 'Add alert' }).click();
  await adding.waitFor({ state: 'detached' });
  await page.getByText('<img src=x onerror=alert(1)>').waitFor();
  expect(await page.locator('img[src="x"]').count()).toBe(0);

  await page.getByRole('button', { name: /^Pause/ }).click();
  await page.getByText('Paused', { exact: true }).waitFor();
  await page.getByRole('button', { name: /^Edit/ }).click();
  const edit = form('Edit alert');
  expect(await edit.getByLabel('Number').inputValue()).toBe('1000000');
  await edit.getByRole('textbox', { name: 'Name' }).fill('Few');
  await edit.getByRole('button', { name: 'Save alert' }).click();
  await edit.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Edit Few' }).click();
  await edit.getByRole('button', { name: 'Delete…' }).click();
  await edit.getByRole('button', { name: 'Delete for all members' }).click();
  await page.getByText('No alerts yet').waitFor();
});

test('an alert posts to Slack, whose URL nobody reads afterwards, and its form asks before changes are lost', async () => {
  const stored = () =>
    server.ask<{ app: { alerts: { nodes: { id: string; name: string; slackUrl: string }[] } } }>(
      `query ($app: ID!) { app(id: $app) { alerts(environment: LIVE, first: 5) { nodes { id name slackUrl } } } }`,
      { app: server.apps[0]!.id },
    );
  await open('alerts');
  await page.getByRole('button', { name: 'Add alert' }).click();
  const adding = form('Add alert');
  await adding.getByRole('textbox', { name: 'Name' }).fill('To Slack');
  await adding.getByLabel('Slack webhook URL').fill('ftp://hooks.slack.com/services/T0/B0/secretWXYZ');
  await adding.getByRole('button', { name: 'Add alert' }).click();
  await adding.getByText('must start with https://').waitFor();
  await adding.getByLabel('Slack webhook URL').fill('https://hooks.slack.com/services/T0/B0/secretWXYZ');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await adding.getByRole('button', { name: 'Add alert' }).click();
  await adding.waitFor({ state: 'detached' });
  await page.getByText('Posts to Slack (hooks.slack.com/…WXYZ).').waitFor();
  expect(await page.content()).not.toContain('secretWXYZ');

  await page.getByRole('button', { name: 'Edit To Slack' }).click();
  const edit = form('Edit alert');
  expect(await edit.getByLabel('Slack webhook URL').inputValue()).toBe('');
  await page.keyboard.press('Escape'); // nothing is changed: it asks nothing
  await edit.waitFor({ state: 'detached' });
  expect((await stored()).app.alerts.nodes).toMatchObject([{ slackUrl: 'hooks.slack.com/…WXYZ' }]);
  await page.getByRole('button', { name: 'Edit To Slack' }).click();
  await edit.getByRole('button', { name: 'Stop posting to Slack' }).click();
  await edit.getByRole('button', { name: 'Save alert' }).click();
  await edit.waitFor({ state: 'detached' });
  const { app } = await stored();
  expect(app.alerts.nodes).toMatchObject([{ slackUrl: '' }]);
  await server.ask('mutation ($id: ID!) { deleteAlert(input: {id: $id}) }', { id: app.alerts.nodes[0]!.id });
});

test('an alert that a link opens keeps its segment and filters, whatever the page is filtered by', async () => {
  const cross = { country: { op: 'IS', values: ['DE'] } };
  const { createSegment } = await server.ask<{ createSegment: { id: string } }>(
    `mutation ($input: CreateSegmentInput!) { createSegment(input: $input) { id } }`,
    { input: { appId: server.apps[0]!.id, name: 'Regulars', rules: { platform: 'WEB' } } },
  );
  const segmentId = createSegment.id;
  const rule = { cross, segmentId, timeZone: 'UTC', condition: { below: 5 } };
  const { createAlert } = await server.ask<{ createAlert: { id: string } }>(
    `mutation ($input: CreateAlertInput!) { createAlert(input: $input) { id } }`,
    { input: { appId: server.apps[0]!.id, environment: 'LIVE', name: 'Few in Germany', rule } },
  );
  await open(`alerts?alert=${createAlert.id}&f=is,country,FR`);
  const edit = form('Edit alert');
  expect(await edit.getByRole('list', { name: 'Filters' }).innerText()).toBe('Country is Germany');
  expect(await edit.getByRole('combobox', { name: 'Segment' }).inputValue()).toBe('Regulars');
  await edit.getByRole('textbox', { name: 'Name' }).fill('Few there');
  await edit.getByRole('button', { name: 'Save alert' }).click();
  await edit.waitFor({ state: 'detached' });
  await page.getByText('Visitors per hour below 5, in Regulars, country is Germany').waitFor();
  const { app } = await server.ask<{
    app: { alerts: { nodes: { name: string; rule: { cross: unknown; segmentId: string } }[] } };
  }>(`query ($app: ID!) { app(id: $app) { alerts(environment: LIVE, first: 5) { nodes { name rule } } } }`, {
    app: server.apps[0]!.id,
  });
  expect(app.alerts.nodes).toMatchObject([{ name: 'Few there', rule: { cross, segmentId } }]);
});

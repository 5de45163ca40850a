import { createHmac } from 'node:crypto';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addressOf, page, sendAsApp, server, suite } from './suite';
import { violations } from './visitor';

type Message = { id: string; timestamp: string; signatures: string[]; body: string };

/** Where messages go, and those that came. */
let receiver: HttpServer;
let url: string;
const messages: Message[] = [];

beforeAll(async () => {
  receiver = createServer(async (request, answer) => {
    let body = '';
    for await (const part of request) body += part;
    const header = (name: string) => String(request.headers[`webhook-${name}`]);
    messages.push({
      id: header('id'),
      timestamp: header('timestamp'),
      signatures: header('signature').split(' '),
      body,
    });
    answer.end('thanks');
  });
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
});
afterAll(() => {
  receiver.close();
});
suite({ settings: { SVC_WEBHOOK_NETWORKS: '127.0.0.0/8' } });

/** The signature of a message by a secret, written by itself here (standardwebhooks.com). */
const signed = (secret: string, { id, timestamp, body }: Message) =>
  `v1,${createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64')}`;

test('an automation is written, published, activated and explained, and its messages are logged and sent again', async () => {
  await page.goto(addressOf('automations'));
  await page.getByRole('button', { name: 'New destination' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Mailer');
  await page.getByRole('textbox', { name: 'URL' }).fill(url);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const secret = (await page.getByText(/^whsec_/).textContent())!;
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: /^Mailer Enabled/ }).waitFor();
  expect(await page.content()).not.toContain(secret);

  await page.getByRole('button', { name: 'New automation' }).first().click();
  await page.getByLabel('Name of the automation').fill('Basket left behind');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL(/automations\/[0-9a-f-]+$/);
  await page.getByText('Definition', { exact: true }).click();
  const definition = page.getByRole('textbox', { name: 'Definition' });
  const write = async (text: string) => {
    await definition.click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText(text);
  };
  await write('{"trigger": ');
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.getByText('This is not valid JSON. Your input is kept.').waitFor();
  expect(await definition.textContent()).toBe('{"trigger": ');

  const { app } = await server.ask<{ app: { webhookEndpoints: { id: string; name: string }[] } }>(
    'query ($app: ID!) { app(id: $app) { webhookEndpoints { id name } } }',
    { app: server.apps[0]!.id },
  );
  const endpointId = app.webhookEndpoints.find(({ name }) => name === 'Mailer')!.id;
  const written = (type: string) => ({
    trigger: { type: 'event', event: 'cart_abandoned' },
    nodes: [
      {
        id: 'tier',
        type: 'condition',
        if: { of: 'attributes', property: 'tier', op: 'exists' },
        // biome-ignore lint/suspicious/noThenProperty: the definition calls it so
        then: 'mail',
        else: 'mail',
      },
      { id: 'mail', type, endpointId, messageType: 'cart.abandoned', data: { who: '{{person.appUserId}}' } },
    ],
  });
  await write(JSON.stringify(written('pigeon')));
  await page.getByRole('button', { name: 'Save draft' }).click();
  const problems = page.getByRole('list', { name: 'Problems' });
  await problems.getByText('/nodes/1/type').waitFor();
  expect(await page.getByRole('button', { name: 'Publish v1' }).isDisabled()).toBe(true);
  await write(JSON.stringify(written('webhook')));
  await page.getByRole('button', { name: 'Save draft' }).click();
  await problems.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Publish v1' }).click();
  await page.getByText('Published, not active').waitFor();
  await page.getByRole('button', { name: 'Activate' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();

  await page.getByText('Troubleshoot').click();
  await page.getByRole('textbox', { name: 'Add users manually' }).fill('user-1\nuser-2');
  await page.getByRole('button', { name: 'Add users' }).click();
  await page.getByText('2 entered.').waitFor();
  await expect.poll(() => messages.length, { timeout: 20_000 }).toBe(2);
  for (const message of messages) {
    expect(message.signatures).toEqual([signed(secret, message)]);
    expect(JSON.parse(message.body)).toMatchObject({ type: 'cart.abandoned' });
  }
  expect(messages.map(({ body }) => JSON.parse(body).data.who).sort()).toEqual(['user-1', 'user-2']);
  await page.getByRole('textbox', { name: 'Troubleshoot delivery' }).fill('user-2');
  await page.getByRole('button', { name: 'Explain', exact: true }).click();
  const way = page.getByRole('region', { name: 'Path of user-2' });
  await way.getByText('Has entered and cannot enter again.').waitFor();
  await way.getByText('message delivered after 1 attempt: answered 200').waitFor();
  await page.getByRole('textbox', { name: 'Troubleshoot delivery' }).fill('nobody');
  await page.getByRole('button', { name: 'Explain', exact: true }).click();
  await page.getByText('This user never entered.').waitFor();

  await page.reload();
  await page.getByText('Workflow', { exact: true }).click();
  const picture = page.getByRole('region', { name: 'Workflow' });
  await picture.getByText('attributes.tier is known?').waitFor();
  await picture.getByText('2 no').waitFor();
  await picture.getByText('Send cart.abandoned to Mailer', { exact: true }).waitFor();
  await picture.getByText('2 delivered').waitFor();
  await picture.getByText('continues at Send cart.abandoned to Mailer').waitFor();

  await page.getByText('Test run').click();
  await page.getByText('7 days').click();
  await page.getByText('Would enter').waitFor();

  await page.goto(addressOf(`automations?endpoint=${endpointId}`));
  const drawer = page.getByRole('dialog');
  await drawer.getByText('user-1').waitFor();
  await drawer.getByRole('button', { name: 'Body and attempts' }).first().click();
  await drawer.getByText(/^Attempt 1: answered 200/).waitFor();
  await drawer.getByText('thanks').waitFor();
  await drawer.getByRole('button', { name: 'Roll secret' }).click();
  const next = (await drawer.getByText(/^whsec_/).textContent())!;
  expect(next).not.toBe(secret);
  await drawer.getByRole('button', { name: 'Done' }).click();
  await drawer.getByRole('button', { name: 'Resend' }).first().click();
  await expect.poll(() => messages.length, { timeout: 20_000 }).toBe(3);
  const again = messages[2]!;
  expect(messages.slice(0, 2).map(({ id }) => id)).toContain(again.id);
  expect(again.signatures.sort()).toEqual([signed(secret, again), signed(next, again)].sort());
  await drawer.getByRole('button', { name: 'Retire old secret' }).click();
  await drawer.getByRole('button', { name: 'Retire old secret' }).waitFor({ state: 'hidden' });
  await drawer.getByText('Failed', { exact: true }).click();
  await drawer.getByText('No messages.').waitFor();
  await drawer.getByRole('switch', { name: /^Enabled/ }).click();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: /^Mailer Disabled/ }).waitFor();

  await page.getByRole('link', { name: 'Basket left behind' }).click();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Activate' }).waitFor();
  await page.getByRole('button', { name: 'Archive' }).click();
  const sure = page.getByRole('dialog').getByRole('button', { name: 'Archive' });
  expect(await sure.isDisabled()).toBe(true);
  await page.getByRole('textbox', { name: 'Type Basket left behind to confirm' }).fill('Basket left behind');
  await sure.click();
  await page.getByText('Archived').waitFor();
  expect(await page.getByRole('button', { name: 'Activate' }).count()).toBe(0);
});

test('an automation with a branch and an email is built from cards, without JSON, and published', async () => {
  await page.goto(addressOf('automations'));
  await page.getByRole('button', { name: 'New automation' }).first().click();
  await page.getByLabel('Name of the automation').fill('Welcome');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL(/automations\/[0-9a-f-]+$/);
  const picture = page.getByRole('region', { name: 'Workflow' });
  const remove = async (card: RegExp) => {
    await picture.getByRole('button', { name: card }).click();
    await page.getByRole('button', { name: 'Remove step' }).click();
  };
  await remove(/^Send cart.abandoned/);
  await remove(/^Wait/);
  const add = async (at: string, type: string) => {
    await picture.getByRole('button', { name: at, exact: true }).click();
    await page.getByRole('menuitem', { name: type, exact: true }).click();
  };

  await picture.getByRole('button', { name: /^User tracks/ }).click();
  const trigger = page.getByRole('region', { name: 'Trigger' });
  await trigger.getByLabel('Event', { exact: true }).fill('signed_up');
  await trigger.getByLabel('Enters again').selectOption('days');
  await trigger.getByLabel('Converts with one of these events').fill('subscribed, upgraded');
  await trigger.getByLabel('Converts with one of these events').blur();

  await trigger.getByRole('button', { name: 'Condition', exact: true }).click();
  await trigger.getByLabel('Property').fill('source');
  await trigger.getByLabel('Operator').selectOption('in');
  await trigger.getByLabel('Value').fill('ad, mail');

  await add('Add a step', 'Condition');
  const condition = page.getByRole('region', { name: 'Condition' });
  await condition.getByLabel('Property').fill('plan');
  await condition.getByLabel('Operator').selectOption('eq');
  await condition.getByLabel('Value').fill('pro');
  await picture.getByText('event.plan is pro?').waitFor();
  await add('Add a step to branch then of Condition “event.plan is pro?”', 'Email');
  const email = page.getByRole('region', { name: 'Email' });
  await email.getByLabel('Subject').pressSequentially('Helo');
  await page.getByRole('button', { name: 'Undo' }).click();
  expect(await email.getByLabel('Subject').inputValue(), 'what was typed at once is undone at once').toBe('');
  await email.getByLabel('Subject').fill('Hi {{person.firstName|there}}');
  await email.getByLabel('Body').fill('Welcome to **Pro**.');
  await picture.getByText('Send email: Hi {{person.firstName|there}}').waitFor();
  await add('Add a step to branch else of Condition “event.plan is pro?”', 'Wait');
  await picture.getByRole('button', { name: /^Add a step after Wait/ }).click();
  await page.getByRole('menuitem', { name: 'End', exact: true }).click();
  expect(await picture.innerText()).not.toMatch(/condition-1|delay-1|email-1/); // ids are for the definition
  // The keyboard: the step that is chosen is removed, and comes back.
  await picture.getByRole('button', { name: 'End', exact: true }).press('Delete');
  await picture.getByRole('button', { name: 'End', exact: true }).waitFor({ state: 'hidden' });
  await picture.getByRole('button', { name: /^Wait/ }).press('ControlOrMeta+z');
  await picture.getByRole('button', { name: 'End', exact: true }).waitFor();

  // Another part of the page would lose it, and says so.
  await page.getByText('Definition', { exact: true }).click();
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await picture.getByRole('button', { name: 'End', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Save draft' }).click();
  await expect.poll(() => page.getByRole('button', { name: 'Save draft' }).isDisabled()).toBe(true);
  // The email as it is sent, in a frame that has its own styles, and as text.
  await picture.getByRole('button', { name: /^Send email/ }).click();
  const mail = email.getByTitle('The email').contentFrame();
  await mail.getByText('Welcome to Pro.').waitFor();
  expect(await mail.locator('strong').innerText()).toBe('Pro');
  expect(await mail.locator('.card').evaluate((card) => getComputedStyle(card).maxWidth)).toBe('560px');
  await email.getByText('Hi there', { exact: true }).waitFor();
  await email.getByText('Text', { exact: true }).click();
  await email.locator('pre').getByText('Welcome to').waitFor();
  await email.getByLabel('For the user').fill('nobody-at-all');
  await email.getByText('Hi there', { exact: true }).waitFor();
  expect(await violations(page)).toEqual([]);
  await email.getByRole('button', { name: 'Send a test to me' }).click();
  await email
    .getByText(/confirm the address/i)
    .first()
    .waitFor();

  await page.getByRole('button', { name: 'Estimate entries' }).click();
  await page.getByText(/^Would have entered in the last 7 days: \d+$/).waitFor();
  await page.getByRole('button', { name: 'Publish v1' }).click();
  await page.getByText('Published, not active').waitFor();
  const id = /automations\/([0-9a-f-]+)/.exec(page.url())![1]!;
  const { automation } = await server.ask<{ automation: { versions: { definition: unknown }[] } }>(
    'query ($id: ID!) { automation(id: $id) { versions { definition } } }',
    { id },
  );
  expect(automation.versions[0]!.definition).toEqual({
    trigger: {
      type: 'event',
      event: 'signed_up',
      reentry: 'days',
      days: 30,
      where: { of: 'event', property: 'source', op: 'in', value: ['ad', 'mail'] },
    },
    exit: { events: ['order_placed'], purchase: true },
    goal: { events: ['subscribed', 'upgraded'], days: 7 },
    nodes: [
      {
        id: 'condition-1',
        type: 'condition',
        if: { all: [{ of: 'event', property: 'plan', op: 'eq', value: 'pro' }] },
        // biome-ignore lint/suspicious/noThenProperty: the definition calls it so
        then: 'email-1',
        else: 'delay-1',
      },
      { id: 'delay-1', type: 'delay', seconds: 3600, next: 'exit-1' },
      { id: 'exit-1', type: 'exit' },
      { id: 'email-1', type: 'email', subject: 'Hi {{person.firstName|there}}', body: 'Welcome to **Pro**.' },
    ],
  });
});

test('what all automations keep to is saved', async () => {
  await page.goto(addressOf('automations'));
  await page.getByRole('textbox', { name: 'Messages per user' }).fill('3');
  await page.getByRole('textbox', { name: 'Within' }).fill('7');
  await page.getByLabel('Quiet from').fill('22:00');
  await page.getByLabel('until').fill('08:00');
  await page.getByRole('button', { name: 'Save' }).click();
  const limits = async () =>
    (
      await server.ask<{ app: { automationLimits: object } }>(
        'query ($app: ID!) { app(id: $app) { automationLimits { cap capDays quietFrom quietUntil } } }',
        { app: server.apps[0]!.id },
      )
    ).app.automationLimits;
  await expect.poll(limits).toEqual({ cap: 3, capDays: 7, quietFrom: '22:00', quietUntil: '08:00' });
  // Other tests send messages at any hour.
  await server.ask('mutation ($input: SetAutomationLimitsInput!) { setAutomationLimits(input: $input) { cap } }', {
    input: { appId: server.apps[0]!.id, environment: 'LIVE', cap: 0, capDays: 1, timeZone: 'UTC' },
  });
});

test('a trigger is named by its goal or flow, and groups of conditions are nested and read back', async () => {
  const { createAutomation } = await server.ask<{ createAutomation: { id: string } }>(
    `mutation ($app: ID!, $definition: JSON!) {
      createAutomation(input: {appId: $app, environment: LIVE, name: "Named", definition: $definition}) { id } }`,
    {
      app: server.apps[0]!.id,
      definition: { trigger: { type: 'event', event: 'signed_up' }, nodes: [{ id: 'end', type: 'exit' }] },
    },
  );
  await page.goto(addressOf(`automations/${createAutomation.id}`));
  const picture = page.getByRole('region', { name: 'Workflow' });
  await picture.getByRole('button', { name: 'User tracks signed_up' }).click();
  const trigger = page.getByRole('region', { name: 'Trigger' });
  const starts = trigger.getByLabel('Starts when a user');
  await starts.selectOption('goal');
  await trigger.getByLabel('Goal that is met').selectOption({ label: 'First plant' });
  await picture.getByText('User meets “First plant”').waitFor();
  await starts.selectOption('flow');
  await picture.getByText('User completes a flow').waitFor();
  await trigger.getByLabel('Flow', { exact: true }).selectOption({ label: 'Welcome' });
  await picture.getByText('User completes “Welcome”').waitFor();
  expect(await picture.innerText()).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);

  await picture.getByRole('button', { name: 'Add a step before End' }).click();
  await page.getByRole('menuitem', { name: 'Condition', exact: true }).click();
  const condition = page.getByRole('region', { name: 'Condition' });
  await condition.getByRole('button', { name: 'Group', exact: true }).click();
  await condition.getByRole('button', { name: 'Group in the group', exact: true }).click();
  const properties = condition.getByLabel('Property');
  const typed = ['plan', 'country', 'tier', 'coins', 'level'];
  for (const [i, property] of typed.entries()) await properties.nth(i).fill(property);
  await condition.getByLabel('All or any of these').nth(2).selectOption('all');
  expect(await condition.getByRole('button', { name: 'Group in the group', exact: true }).count()).toBe(1); // no deeper
  const known = (property: string) => ({ of: 'event', property, op: 'exists' });
  const draft = async () => {
    const asked = 'query ($id: ID!) { automation(id: $id) { draft } }';
    const { automation } = await server.ask<{ automation: { draft: { nodes: { if?: object }[] } } }>(asked, {
      id: createAutomation.id,
    });
    return automation.draft.nodes[0]!.if;
  };
  await page.getByRole('button', { name: 'Save draft' }).click();
  await expect.poll(draft).toEqual({
    all: [known('plan'), { any: [known('country'), known('tier'), { all: [known('coins'), known('level')] }] }],
  });

  await page.reload();
  await picture.getByText('User completes “Welcome”').waitFor();
  await picture.getByRole('button', { name: /^event\.plan/ }).click();
  await expect
    .poll(() => properties.evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value)))
    .toEqual(typed);
  // A group of which one row is left is that row.
  await condition.getByRole('button', { name: 'Remove: event.coins is known', exact: true }).click();
  await condition.getByRole('button', { name: 'Remove: event.tier is known', exact: true }).click();
  await page.getByRole('button', { name: 'Save draft' }).click();
  await expect.poll(draft).toEqual({ all: [known('plan'), { any: [known('country'), known('level')] }] });
});

test('who unsubscribes from an email is listed, found and removed', async () => {
  const app = server.apps[0]!.id;
  const { createAutomation } = await server.ask<{ createAutomation: { id: string } }>(
    `mutation ($app: ID!, $definition: JSON!) {
      createAutomation(input: {appId: $app, environment: LIVE, name: "Hello", definition: $definition}) { id } }`,
    {
      app,
      definition: {
        trigger: { type: 'manual' },
        nodes: [{ id: 'mail', type: 'email', subject: 'Hi from the plants', body: 'Water **them**.' }],
      },
    },
  );
  const input = { id: createAutomation.id };
  await server.ask('mutation ($input: AutomationInput!) { publishAutomation(input: $input) { version } }', { input });
  await server.ask('mutation ($input: AutomationInput!) { activateAutomation(input: $input) { state } }', { input });
  const email = 'ivy@plants.example';
  expect((await sendAsApp('identify', { appUserId: 'ivy', email, marketingConsent: 'unknown' })).status).toBe(200);
  await server.ask('mutation ($input: EnrolPeopleInput!) { addPeopleToAutomation(input: $input) { entered } }', {
    input: { automationId: createAutomation.id, appUserIds: ['ivy'] },
  });

  // svc dev keeps the email in place of sending it.
  await expect
    .poll(
      async () => {
        await page.goto(`${server.baseUrl}/dev/outbox`);
        return page.getByRole('navigation', { name: 'Emails' }).getByText('Hi from the plants').count();
      },
      { timeout: 20_000 },
    )
    .toBe(1);
  await page.getByRole('link', { name: /^Hi from the plants/ }).click();
  const shown = page.getByTitle('The email').contentFrame();
  expect(await shown.locator('strong').innerText()).toBe('them');
  await page.getByRole('link', { name: 'Text', exact: true }).click();
  await page.getByLabel('The email as text').getByText('Water **them**.').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('article').getByRole('link', { name: 'Unsubscribe' }).click();
  await page.getByRole('button', { name: 'Unsubscribe' }).click();
  await page.getByText(/^Your address gets no more email/).waitFor();

  await page.goto(addressOf('automations'));
  await page.getByRole('link', { name: 'Suppressed addresses' }).click();
  const row = page.getByRole('row', { name: new RegExp(email) });
  await row.getByText('Unsubscribed').waitFor();
  await row.getByText('Hello', { exact: true }).waitFor();
  const find = page.getByRole('searchbox', { name: 'Find an address' });
  await find.fill('somebody@plants.example');
  await find.press('Enter');
  await page.getByText('“somebody@plants.example” is not suppressed in this environment.').waitFor();
  await find.fill('IVY@plants.example');
  await find.press('Enter');
  await row.waitFor();
  await page.getByRole('link', { name: 'Show all' }).click();
  await row.getByRole('button', { name: 'Remove' }).click();
  await row.getByRole('button', { name: `Has ${email} asked for email again? Remove` }).click();
  await page.getByText('No suppressed addresses').waitFor();
});

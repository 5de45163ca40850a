import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { router } from '../src/app/router';
import { type Answer, askAs, buttonsOf, type Role, roles, somebody } from './people';
import { expectations, idsOfDemo, reading } from './places';
import { addressOf, another, enter, open, page, server, suite, visitor } from './suite';
import { barriers, settled, violations } from './visitor';

suite();

const ofApp = '/apps/$app/$environment/';
const strength = (role: Role) => roles.indexOf(role);

test('every page that there is has an expectation', () => {
  const pages = Object.values(router.routesByPath).filter(({ options }) => 'component' in options); // others lead on
  const paths = pages.map(({ fullPath }) => fullPath).filter((path) => path.startsWith(ofApp));
  expect(paths.map((path) => path.slice(ofApp.length)).sort()).toEqual(Object.keys(expectations).sort());
});

test.each(Object.keys(expectations))('%s can be used by everybody, and asks nobody else', async (name) => {
  const ids = await idsOfDemo();
  expect(
    await barriers(
      page,
      expectations[name]!.views.map((view) => addressOf(view(ids))),
    ),
  ).toEqual([]);
});

test.each(['home', 'start'])('%s can be used by everybody in the test environment', async (name) => {
  expect(await barriers(page, [addressOf(name).replace('/live/', '/test/')])).toEqual([]);
});

test('pages outside of an app can be used by everybody', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const path of ['/sign-in', '/forgot-password', '/reset-password', '/playground', '/apps/nothing/live/home']) {
      await page.goto(server.baseUrl + path);
      await page.getByRole('heading').first().waitFor();
      expect([path, await violations(page)]).toEqual([path, []]);
    }
  }
});

test('a flow that is not there is said once, with the way back', async () => {
  const nowhere = 'flows/01890000-0000-7000-8000-000000000000';
  for (const part of ['', '/versions']) {
    await open(`${nowhere}${part}`);
    await page.getByText('There is no such flow').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  }
  await page.getByRole('main').getByRole('link', { name: 'All flows' }).click();
  await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor();
});

test('on a phone a tap reads a chart, and leads to its notes', async () => {
  const phone = await another({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await enter(phone.page);
  const chart = phone.page.getByRole('img', { name: /^Visitors over time/ });
  const tap = async (share: number) => {
    await chart.scrollIntoViewIfNeeded();
    const box = (await chart.boundingBox())!;
    await phone.page.touchscreen.tap(box.x + 44 + (box.width - 56) * share, box.y + box.height / 2);
  };
  const values = phone.page.getByRole('figure').filter({ has: chart }).locator('strong');
  await tap(0);
  const first = await values.textContent();
  await tap(0.5);
  await expect.poll(() => values.textContent()).not.toBe(first);
  const bucket = (await values.textContent())!;
  expect(new URL(phone.page.url()).search).toBe(''); // reading moves no range
  await phone.page.getByRole('button', { name: 'Notes', exact: true }).tap();
  const drawer = phone.page.getByRole('dialog', { name: `Notes of ${bucket}` });
  await drawer.getByLabel('Chart note').fill('Written by thumb');
  await drawer.getByRole('button', { name: 'Write' }).tap();
  await drawer.getByText('Written by thumb').waitFor();
  await drawer.getByRole('button', { name: 'Close' }).tap();
  await drawer.waitFor({ state: 'detached' });
  await tap(0.5);
  await phone.page.locator('small', { hasText: /^“Written by thumb”/ }).waitFor();
});

test('limits of automations are shown and saved of their own environment alone', async () => {
  await askAs(visitor, 'mutation ($input: SetAutomationLimitsInput!) { setAutomationLimits(input: $input) { cap } }', {
    input: { appId: server.apps[0]!.id, environment: 'LIVE', cap: 7, capDays: 3, timeZone: 'UTC' },
  });
  await open('automations');
  const cap = page.getByLabel(/^Messages per user/);
  await expect.poll(() => cap.inputValue()).toBe('7');
  let answer = () => {};
  const held = new Promise<void>((release) => {
    answer = release;
  });
  await page.route('**/graphql', async (route) => {
    const { operationName, variables } = route.request().postDataJSON() as {
      operationName: string;
      variables: { environment?: string };
    };
    if (operationName === 'Automations' && variables.environment === 'TEST') await held;
    await route.continue();
  });
  await page.getByText('Test', { exact: true }).click();
  await page.waitForURL(/\/test\/automations/);
  await cap.waitFor({ state: 'detached' }); // what stands there meanwhile is not of this environment
  answer();
  await expect.poll(() => cap.getAttribute('placeholder')).toBe('No cap');
  expect(await cap.inputValue()).toBe('');
});

/** Some of the pages each, so that no test is long. */
const parts = roles.flatMap((role) => [0, 1, 2].map((part) => ({ role, part })));

test.each(parts)('to $role is offered what they may do, and nothing else, part $part', async ({ role, part }) => {
  const ids = await idsOfDemo();
  const who = role === 'OWNER' ? visitor : await somebody(visitor, role);
  const wrong: string[] = [];
  for (const [name, { views, reads, acts = {} }] of Object.entries(expectations).filter((_, i) => i % 3 === part)) {
    const offered = new Set<string>();
    const own = new Set(roles.flatMap((least) => (strength(least) <= strength(role) ? (acts[least] ?? []) : [])));
    const look = async () => {
      for (const view of views) {
        await who.page.goto(addressOf(view(ids)));
        await settled(who.page);
        for (const button of await buttonsOf(who)) offered.add(button);
      }
    };
    await look();
    // On a busy machine an answer may lead to the next question after the page was quiet for a while.
    for (let again = 0; again < 3 && ![...own].every((act) => offered.has(act)); again++) await look();
    for (const button of offered) {
      if (!reading.test(button) && !reads?.test(button) && !own.has(button)) wrong.push(`${name} offers: ${button}`);
    }
    for (const act of own) if (!offered.has(act)) wrong.push(`${name} does not offer: ${act}`);
  }
  expect(wrong).toEqual([]);
});

/** The mutations of the sources, by name. */
function mutations(): Map<string, string> {
  const sources = fileURLToPath(new URL('../src', import.meta.url));
  const found = new Map<string, string>();
  for (const entry of readdirSync(sources, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
    const source = readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8');
    for (const [, name, text] of source.matchAll(/graphql<'(\w+)'>\(\s*`(\s*mutation[^`]*)`/g)) found.set(name!, text!);
  }
  return found;
}

test('what a page does not offer is refused by the server', async () => {
  const { app } = (await askAs<{ app: Refusable }>(visitor, refusable, { app: server.apps[0]!.id })).data;
  const environment = app.environment;
  const flow = app.flows.nodes.find(({ versions }) => versions.nodes.length > 0)!;
  const experiment = app.experiments.nodes[0]!.id;
  const input = { appId: app.id, environment: 'LIVE' };
  const automation = app.automations.nodes[0]!.id;
  const endpoint = app.webhookEndpoints[0]!.id;
  const asset = app.workspace.media.nodes[0]!.id;
  const draft = { flow: flow.id, revision: flow.draftRevision, draft: {} };
  const source = app.revenueSources[0]!.id;
  const named = { app: app.id, environment: 'LIVE', name: 'x' };
  const owner = app.workspace.members.nodes.find(({ role }) => role === 'OWNER')!.user.id;
  const ofOwner = { workspace: app.workspace.id, user: owner };
  const tree = { id: 'lyr_x', kind: 'text', text: { default: 'x' } };
  type Made = Record<
    'createNote' | 'createSavedView' | 'createComponent' | 'createGoal' | 'createFunnel' | 'createAlert',
    { id: string }
  >;
  const made = await askAs<Made>(
    visitor,
    `mutation ($app: ID!, $at: Time!, $tree: JSON!) {
      createNote(input: {appId: $app, at: $at, text: "x"}) { id }
      createSavedView(input: {appId: $app, name: "x", scope: {}}) { id }
      createGoal(input: {appId: $app, name: "x", condition: {event: {name: "x"}}}) { id }
      createAlert(input: {appId: $app, name: "x", rule: {condition: {above: 1}}}) { id }
      createFunnel(input: {appId: $app, name: "x", funnel: {steps: [{condition: {purchase: {}}}, {condition: {purchase: {}}}]}}) { id }
      createComponent(input: {appId: $app, name: "x", content: {tree: $tree}}) { id }
    }`,
    { app: app.id, at: new Date().toISOString(), tree },
  );
  // Its price leaves no room for others in one operation.
  const shared = await askAs<{ createSharedLink: { link: { id: string } } }>(
    visitor,
    'mutation ($app: ID!) { createSharedLink(input: {appId: $app, name: "x", reports: [HOME]}) { link { id } } }',
    { app: app.id },
  );
  const { createNote: note, createSavedView: view, createComponent: component } = made.data;
  const { createGoal: goal, createFunnel: funnel, createAlert: alert } = made.data;
  const purchases = { steps: [{ condition: { purchase: {} } }, { condition: { purchase: {} } }] };
  /** Who may do it at least, and with what it is tried by everybody weaker. */
  const rights: Record<string, readonly [Role, object]> = {
    CreateFirstApp: ['ADMIN', { workspace: app.workspace.id, name: 'x' }],
    SaveAutomation: ['EDITOR', { id: automation }],
    PublishAutomation: ['EDITOR', { id: automation }],
    ActivateAutomation: ['ADMIN', { id: automation }],
    PauseAutomation: ['ADMIN', { id: automation }],
    ArchiveAutomation: ['EDITOR', { id: automation }],
    AddPeopleToAutomation: ['ADMIN', { id: automation, people: ['user-1'] }],
    CreateAutomation: ['EDITOR', { ...named, definition: {} }],
    SetAutomationLimits: ['EDITOR', { input }],
    CreateEndpoint: ['EDITOR', { ...named, url: 'https://example.com' }],
    UpdateEndpoint: ['EDITOR', { input: { id: endpoint, name: 'x' } }],
    RotateEndpoint: ['EDITOR', { id: endpoint }],
    RetireEndpoint: ['EDITOR', { id: endpoint }],
    ReplayWebhooks: ['ADMIN', { input: { endpointId: endpoint } }],
    SaveBranding: ['ADMIN', { app: app.id, branding: {} }],
    Pin: ['EDITOR', { id: environment.channels.nodes[0]!.id, version: flow.versions.nodes[0]!.id, dryRun: true }],
    CreateChannel: ['EDITOR', named],
    SetAutomaticReturn: ['EDITOR', { id: environment.channels.nodes[0]!.id, on: false }],
    CreateExperiment: ['EDITOR', { input: { channelId: environment.channels.nodes[0]!.id, name: 'x' } }],
    UpdateExperiment: ['EDITOR', { input: { id: experiment, name: 'x' } }],
    StartExperiment: ['EDITOR', { id: experiment, dryRun: true }],
    StopExperiment: ['EDITOR', { id: experiment, dryRun: true }],
    PromoteExperiment: ['EDITOR', { id: experiment, variant: experiment }],
    ExtendExperiment: ['EDITOR', { id: experiment, endsAt: new Date().toISOString() }],
    DeleteExperiment: ['EDITOR', { id: experiment }],
    CreateFlow: ['EDITOR', { app: app.id, name: 'x' }],
    CopyFlow: ['EDITOR', { flow: flow.id, app: app.id, name: 'x' }],
    SaveDraft: ['EDITOR', draft],
    EditDraft: ['EDITOR', { flow: flow.id, base: 1, client: crypto.randomUUID(), sequence: 1, steps: [] }],
    ReplaceInDraft: ['EDITOR', draft],
    DeclinePublish: ['EDITOR', { flow: flow.id }],
    PublishFlow: ['EDITOR', { id: flow.id, revision: flow.draftRevision, label: '', dryRun: true }],
    PreviewLink: ['EDITOR', { flow: flow.id }],
    RenameMedia: ['EDITOR', { id: asset, name: 'x' }],
    ArchiveMedia: ['EDITOR', { id: asset }],
    ErasePerson: ['ADMIN', { input: { ...input, appUserId: 'nobody' } }],
    ExportPerson: ['ADMIN', { input: { ...input, appUserId: 'nobody' } }],
    FillFlow: ['EDITOR', { flow: flow.id, template: { id: 'three-plans' } }],
    CreateNote: ['EDITOR', { input: { ...input, at: new Date().toISOString(), text: 'x' } }],
    UpdateNote: ['EDITOR', { input: { id: note.id, text: 'y' } }],
    DeleteNote: ['EDITOR', { input: { id: note.id } }],
    CreateSavedView: ['EDITOR', { input: { appId: app.id, name: 'y', scope: {} } }],
    UpdateSavedView: ['EDITOR', { input: { id: view.id, name: 'y' } }],
    DeleteSavedView: ['EDITOR', { input: { id: view.id } }],
    CreateComponent: ['EDITOR', { app: app.id, name: 'y', content: { tree } }],
    UpdateComponent: ['EDITOR', { id: component.id, name: 'y' }],
    DeleteComponent: ['EDITOR', { id: component.id }],
    CreateGoal: ['EDITOR', { input: { appId: app.id, name: 'y', condition: { event: { name: 'x' } } } }],
    UpdateGoal: ['EDITOR', { input: { id: goal.id, name: 'y' } }],
    DeleteGoal: ['EDITOR', { input: { id: goal.id } }],
    CreateFunnel: ['EDITOR', { input: { appId: app.id, name: 'y', funnel: purchases } }],
    UpdateFunnel: ['EDITOR', { input: { id: funnel.id, name: 'y' } }],
    DeleteFunnel: ['EDITOR', { input: { id: funnel.id } }],
    CreateAlert: ['EDITOR', { input: { appId: app.id, name: 'y', rule: { condition: { above: 1 } } } }],
    UpdateAlert: ['EDITOR', { input: { id: alert.id, name: 'y' } }],
    DeleteAlert: ['EDITOR', { input: { id: alert.id } }],
    CreateSharedLink: ['EDITOR', { input: { appId: app.id, name: 'y', reports: ['HOME'] } }],
    RevokeSharedLink: ['EDITOR', { input: { id: shared.data.createSharedLink.link.id } }],
    SendTestEmail: ['EDITOR', { automation, node: 'x', user: null }],
    CreateSegment: ['EDITOR', { input: { appId: app.id, name: 'x' } }],
    CreateRevenueSource: ['ADMIN', { app: app.id, provider: 'STRIPE', name: 'x' }],
    AddRevenueSecret: ['ADMIN', { id: source }],
    RemoveRevenueSecret: ['ADMIN', { id: source, secret: source }],
    TestRevenueSource: ['ADMIN', { id: source }],
    ArchiveRevenueSource: ['ADMIN', { id: source }],
    MapRevenue: ['ADMIN', { input: { ...input, provider: 'STRIPE', subject: 'x', appUserId: 'y' } }],
    Invite: ['ADMIN', { workspace: app.workspace.id, email: 'x@example.com', role: 'VIEWER' }],
    ChangeRole: ['ADMIN', { ...ofOwner, role: 'VIEWER' }],
    RemoveMember: ['ADMIN', ofOwner],
    TransferOwnership: ['OWNER', ofOwner],
    RotateKey: ['ADMIN', { app: app.id, environment: 'LIVE' }],
    RevokeKey: ['ADMIN', { id: environment.publishableKeys.nodes[0]!.id }],
    TestMail: ['ADMIN', { workspace: app.workspace.id }],
    SetIdentityProof: ['ADMIN', { app: app.id, environment: 'TEST', mode: 'OFF' }],
    RotateIdentitySecret: ['ADMIN', { app: app.id, environment: 'TEST' }],
    RetireIdentitySecret: ['ADMIN', { app: app.id, environment: 'TEST' }],
    SetSignInRule: ['ADMIN', { workspace: app.workspace.id, rule: 'ANY' }],
    UpdateApp: ['ADMIN', { input: { id: app.id, name: 'x' } }],
    SetRetention: ['ADMIN', { input: { appId: app.id, kind: 'TRACK', days: 1 } }],
    CreateSqlRole: ['ADMIN', { workspace: app.workspace.id, app: app.id, environment: 'LIVE' }],
  };
  /** What is everybody's own, or takes what the demo has none of: resolvers/rights_test.go tries those. */
  const elsewhere = [
    'ReadNotifications',
    'RemoveEmailSuppression',
    'SetNotificationMail',
    'CreateScheduledReport',
    'UpdateScheduledReport',
    'DeleteScheduledReport',
    'SendScheduledReport',
    'SaveParquetExport',
    'CheckParquetExport',
    'RunParquetExport',
    'RemoveParquetExport',
    'CreateHistoryImport',
    'UploadHistoryPart',
    'StartHistoryImport',
    'RemoveHistoryImport',
    'ApproveOAuthRequest',
    'RotateSqlRole',
    'DropSqlRole',
    'SetHomeLayout',
    'ConfirmMail',
    'OpenSharedLink',
    'RenamePasskey',
    'RequestPasswordReset',
    'ResetPassword',
    'AnnounceInDraft',
    'SignIn',
    'SignOut',
    'BeginPasskeySignIn',
    'SignInWithPasskey',
    'BeginPasskey',
    'AddPasskey',
    'RemovePasskey',
    'BeginTotp',
    'ConfirmTotp',
    'RemoveTotp',
    'ReplaceRecoveryCodes',
    'ChangePassword',
    'EndSession',
    'EndOtherSessions',
    'UploadMedia',
    'ImportFlow',
    'UpdateSegment',
    'DeleteSegment',
    'RevokeInvitation',
    'CreateApiKey',
    'RevokeApiKey',
  ];
  const all = mutations();
  expect([...Object.keys(rights), ...elsewhere].sort()).toEqual([...all.keys()].sort());
  for (const role of ['VIEWER', 'EDITOR', 'ADMIN'] as const) {
    const who = await somebody(visitor, role);
    for (const [name, [least, variables]] of Object.entries(rights)) {
      if (strength(role) >= strength(least)) continue;
      const { errors }: Answer<unknown> = await askAs(who, all.get(name)!, variables);
      expect([role, name, errors?.[0]?.extensions.code]).toEqual([role, name, 'forbidden']);
    }
  }
});

type Refusable = {
  id: string;
  workspace: {
    id: string;
    media: { nodes: { id: string }[] };
    members: { nodes: { role: string; user: { id: string } }[] };
  };
  environment: {
    publishableKeys: { nodes: { id: string }[] };
    channels: { nodes: { id: string }[] };
  };
  flows: { nodes: { id: string; draftRevision: number; versions: { nodes: { id: string }[] } }[] };
  experiments: { nodes: { id: string }[] };
  automations: { nodes: { id: string }[] };
  webhookEndpoints: { id: string }[];
  revenueSources: { id: string }[];
};
const refusable = `query ($app: ID!) { app(id: $app) {
  id
  workspace { id media(first: 1) { nodes { id } } members { nodes { role user { id } } } }
  environment { publishableKeys(first: 1) { nodes { id } } channels(first: 1) { nodes { id } } }
  flows(first: 50) { nodes { id draftRevision versions(first: 1) { nodes { id } } } }
  experiments(first: 1) { nodes { id } }
  automations { nodes { id } }
  webhookEndpoints { id }
  revenueSources { id }
} }`;

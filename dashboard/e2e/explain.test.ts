import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commandOf } from '../src/explain/command';
import { parseHash } from '../src/explain/link';
import { type Part, parts } from '../src/explain/parts';
import { draftExperiment } from './drafts';
import { askAs } from './people';
import { expectations, type Ids, idsOfDemo } from './places';
import { addressOf, page, server, suite, visitor } from './suite';
import { settled } from './visitor';

suite();

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
/** Days that are over: what arrives while the test runs changes nothing. */
const over = `range=custom&from=${day(9)}&to=${day(2)}&zone=Europe/Berlin`;

/** Views with filters, searches, orders and pages in use, by the name of the page. */
const used: Record<string, readonly ((ids: Ids & { draft: string }) => string)[]> = {
  home: ['metric=revenue&f=is_not,country,DE,US&platform=web', 'f=contains,page,/&grain=hour'].map(
    (view) => () => `home?${view}`,
  ),
  acquisition: [
    'dimension=SOURCE&by=REVENUE&order=up&q=o&f=is_not,country,DE',
    'dimension=CAMPAIGN&rows=200&by=BOUNCE_RATE&platform=ios',
    'dimension=REFERRER&q=google&f=is,channel,Organic%20Search,Direct',
  ].map((view) => () => `acquisition?${view}`),
  locations: ['q=e&rows=200&by=SESSIONS&order=up', 'q=nowhere', 'dimension=CITY&q=b&f=is_not,browser,Chrome'].map(
    (view) => () => `locations?${view}`,
  ),
  devices: ['dimension=OS&by=VIEWS', 'dimension=DEVICE&q=i&order=up', 'q=o&f=is,country,DE'].map(
    (view) => () => `devices?${view}`,
  ),
  engagement: [
    'by=EXIT_RATE&order=up&q=/',
    'dimension=ENTRY&by=REVENUE&f=is,device,mobile',
    'dimension=EXIT&rows=200&grain=week',
  ].map((view) => () => `engagement?${view}`),
  events: ['by=VISITORS&order=up&q=e&platform=web', 'rows=1000&f=contains_not,event,a'].map(
    (view) => () => `events?${view}`,
  ),
  goals: [
    () => 'goals?by=RATE&order=up&q=p&f=is,country,DE',
    ({ goal }) => `goals?goal=${goal}&split=COUNTRY&platform=web&grain=week`,
  ],
  funnels: [
    ({ funnel }) => `funnels?funnel=${funnel}&split=DEVICE&platform=web&grain=week`,
    () => 'funnels?split=SOURCE&f=is_not,country,DE',
  ],
  paths: [
    'kind=event&name=signed_up&direction=before&steps=8&nodes=views&f=is,country,DE',
    "kind=page&name=/pla*&group=/blog/**&group=it's,%20%22/p%22&platform=web",
  ].map((view) => () => `paths?${view}`),
  retention: [
    'cohorts=week&dimension=COUNTRY&by=DAY1_RATE&order=up&q=e',
    'cohorts=month&dimension=DEVICE&rows=200&f=is_not,source,google',
  ].map((view) => () => `retention?${view}`),
  visitors: ['by=REVENUE_USD&q=1&f=is,country,DE', 'by=SESSIONS&order=up&rows=200'].map(
    (view) => () => `visitors?${view}`,
  ),
  people: ['q=somebody&rows=200'].map((view) => () => `people?${view}`),
  'flows/$flow': [
    'by=COUNTRY&f=is_not,country,DE&f=is,channel,Direct,Referral&grain=hour',
    'by=VERSION&rows=200&platform=ios&metric=revenue',
  ].map(
    (view) =>
      ({ flow }: Ids) =>
        `flows/${flow}?${view}`,
  ),
  revenue: [
    'by=COUNTRY&basis=charge&f=is,country,DE,US&grain=week',
    'by=ACQUISITION_CHANNEL&rows=200&q=o&sort=net',
  ].map((view) => () => `revenue?${view}`),
  health: [() => 'health?range=2d'],
  'experiments/$experiment': [({ draft }) => `experiments/${draft}`],
};

/** What the command line prints under names that the schema has replaced since. */
const older: Record<string, string> = {
  variant: 'arm',
  variants: 'arms',
  peoplePerVariant: 'peoplePerArm',
  sessionEventsOverLimit: 'sessionHitsOverLimit',
  runEventsOverLimit: 'runHitsOverLimit',
  assignmentsLeftOut: 'servedLeftOut',
};

/** Views that have no card. */
const cardless = /\/(live|media|start|edit|preview)\?|person\?device=nobody|[?&](part=|tab=history)/;

const opened = new Set<string>();

test.each(Object.keys(expectations))('%s explains what its cards show', async (name) => {
  const ids = { ...(await idsOfDemo()), draft: await draftExperiment('Planned') };
  for (const view of [...expectations[name]!.views, ...(used[name] ?? [])]) {
    const address = addressOf(view(ids));
    const scoped = `${address}${address.includes('?') ? '&' : '?'}${over}`;
    // The demo's visitors go on meanwhile: a figure that one of them moved between page and question is read once more.
    await compare(scoped).catch(() => compare(scoped));
  }
});

test('every part of a card was opened', () => {
  expect([...opened].sort()).toEqual(Object.keys(parts).sort());
});

type Sent = { operationName: string; query: string; variables: Record<string, unknown> };

async function compare(address: string) {
  const answers: { sent: Sent; data: unknown }[] = [];
  const listen = async (response: import('playwright-core').Response) => {
    const sent = response.request().postDataJSON() as Sent | null;
    if (!response.url().endsWith('/graphql') || !/^query/.test(sent?.query ?? '')) return;
    const { data } = (await response.json().catch(() => ({}))) as { data?: unknown };
    answers.push({ sent: sent!, data });
  };
  page.on('response', listen);
  await page.goto(address);
  await settled(page);
  // What a first answer leads to may still be on its way; some views have no card.
  const some = page.locator('section[data-parts]').first();
  if (!cardless.test(address)) await some.waitFor();
  await settled(page);
  for (const card of await page.locator('section[data-parts]').all()) {
    const lists = await card
      .getByRole('radiogroup', { name: /: list$/ })
      .getByRole('radio')
      .count();
    for (let list = 0; list < Math.max(lists, 1); list++) {
      if (lists > 0)
        await card
          .getByRole('radiogroup', { name: /: list$/ })
          .locator('label')
          .nth(list)
          .click();
      const explain = card.getByRole('button', { name: /^Explain / });
      if ((await explain.count()) === 0) continue; // it has no answer
      const names = (await card.getAttribute('data-parts'))!.split(' ') as Part[];
      await explain.click();
      const drawer = page.getByRole('dialog', { name: /(is counted|comes from)$/ });
      const link = await drawer.getByRole('link', { name: 'Open in the playground' }).getAttribute('href');
      const shared = parseHash(link!.slice(link!.indexOf('#')))!;
      const asked = { text: shared.query, variables: JSON.parse(shared.variables ?? '{}') as Record<string, unknown> };
      const lines = await drawer.locator('section', { hasText: 'Command line' }).locator('pre').allTextContents();
      const shown = answers.findLast(({ sent }) => asks(sent, asked));
      expect(shown, `${address} ${names} asks for something else than the page`).toBeDefined();
      const again = await askAs<unknown>(visitor, asked.text, asked.variables);
      for (const part of names) {
        opened.add(part);
        const what = `${address} ${part}`;
        const value = at(shown!.data, part);
        if (value === undefined || value === null) continue;
        expect(at(again.data, part), `GraphQL of ${what}`).toEqual(value);
        const command = commandOf(part, asked);
        expect([what, command ? 'command' : 'graphql']).toEqual([what, parts[part]]);
        if (!command) continue;
        expect(lines, what).toContain(command.line);
        expect(missing(value, at(run(command.line), command.at), ''), `${what}\n${command.line}`).toEqual([]);
      }
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });
    }
  }
  page.off('response', listen);
}

/** Whether an operation that was sent has the variables of a part of it. */
function asks(sent: Sent, { text, variables }: { text: string; variables: Record<string, unknown> }): boolean {
  if (sent.operationName !== /^query (\w+)/.exec(text)?.[1]) return false;
  return Object.entries(variables).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(sent.variables[name]),
  );
}

/** What a command prints, as a shell runs it. */
function run(line: string): unknown {
  const svc = process.env.E2E_SERVER_BINARY!;
  const printed = execFileSync('sh', ['-c', `${line.replace(/(^|\| )svc /, '$1"$SVC" ')} -o json`], {
    env: { ...process.env, SVC: svc, SVC_API_URL: server.baseUrl, SVC_API_KEY: server.apiKey },
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(printed.toString());
}

const at = (value: unknown, path: string): unknown =>
  path === ''
    ? value
    : path.split('.').reduce<unknown>((inner, name) => (inner as Record<string, unknown> | null)?.[name], value);

/** The paths at which the command line says something else than the card, or nothing. */
function missing(card: unknown, printed: unknown, path: string): string[] {
  if (Array.isArray(card)) {
    if (!Array.isArray(printed) || printed.length !== card.length) return [`${path}: not ${card.length} of them`];
    return card.flatMap((item, i) => missing(item, printed[i], `${path}[${i}]`));
  }
  if (typeof card === 'object' && card !== null) {
    if (typeof printed !== 'object' || printed === null) return [`${path}: not there`];
    return Object.entries(card).flatMap(([name, value]) => {
      const found = [name, older[name]].find((known) => known !== undefined && Object.hasOwn(printed, known));
      if (!found) return value === '' ? [] : [`${path}.${name}: not there`]; // a series by something else has no country
      return missing(value, (printed as Record<string, unknown>)[found], `${path}.${name}`);
    });
  }
  return card === printed ? [] : [`${path}: ${card} there, ${printed} printed`];
}

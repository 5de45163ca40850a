import type { Role } from './people';
import { server } from './suite';

/** Ids of the demo that addresses of pages hold. */
export type Ids = {
  flow: string;
  experiment: string;
  automation: string;
  goal: string;
  funnel: string;
  person: string;
};

export type Expectation = {
  /** What follows the app's environment in addresses of the page: its views that look different. */
  views: readonly ((ids: Ids) => string)[];
  /** Buttons that open something of this page only and change nothing. */
  reads?: RegExp;
  /** Buttons that change something, by the weakest role that is offered them. */
  acts?: Partial<Record<Role, readonly string[]>>;
};

/** The screens of the flow of the demo that pages are opened for, by name. */
const screensOfDemo = [
  'Goal',
  'Housemates',
  'How many',
  'Light',
  'Making the plan',
  'Name',
  'Ready',
  'Reminder',
  'Reminders',
  'Symptoms',
  'Watering',
  'Welcome',
  'Why it works',
  'Your plan',
];

/** What is expected of every page of an app. */
export const expectations: Record<string, Expectation> = {
  home: {
    views: [() => 'home', () => 'home?range=12mo&metric=revenue'],
    reads: /^Arrange home$/,
    acts: { EDITOR: ['Share'] },
  },
  live: { views: [() => 'live'] },
  acquisition: { views: [() => 'acquisition'], acts: { EDITOR: ['Share'] } },
  engagement: { views: [() => 'engagement'], acts: { EDITOR: ['Share'] } },
  events: { views: [() => 'events'], acts: { EDITOR: ['Share'] } },
  goals: {
    views: [() => 'goals', ({ goal }) => `goals?goal=${goal}`],
    reads: /^(Welcome completed|First plant|Saw the app|Purchase)$/,
    acts: { EDITOR: ['Share', 'Add goal', 'Edit goal', 'Save converters as segment…'] },
  },
  funnels: {
    views: [() => 'funnels', ({ funnel }) => `funnels?funnel=${funnel}&split=COUNTRY`],
    reads: /^[\d,]+ dropped off$/,
    acts: {
      EDITOR: [
        ...['Add funnel', 'Edit funnel'],
        ...['Home page', 'Sign-up page', 'Signed up', 'Welcome started', 'Welcome completed'].map(
          (step) => `Save who dropped off after ${step} as segment`,
        ),
      ],
    },
  },
  paths: {
    views: [() => 'paths', () => 'paths?kind=page&name=/pricing&direction=before&steps=3'],
    reads: /^(Group names$|Groups: \d|(Page|Screen|Event|All other) )/,
  },
  alerts: {
    views: [() => 'alerts'],
    acts: { EDITOR: ['Add alert', 'Edit A campaign takes off', 'Pause A campaign takes off'] },
  },
  retention: { views: [() => 'retention'], acts: { EDITOR: ['Share'] } },
  locations: { views: [() => 'locations'], acts: { EDITOR: ['Share'] } },
  devices: { views: [() => 'devices'], acts: { EDITOR: ['Share'] } },
  visitors: { views: [() => 'visitors'] },
  people: { views: [() => 'people', () => 'people?q=nobody-has-this-name'] },
  'people/person': {
    views: [({ person }) => `people/person?custom=${person}`, () => 'people/person?device=nobody'],
    acts: { ADMIN: ['Export all data', 'Erase…'] },
  },
  flows: { views: [() => 'flows', () => 'flows?as=table'], acts: { EDITOR: ['New flow'] } },
  'flows/$flow': {
    views: [({ flow }) => `flows/${flow}`],
    reads: /^(More for this flow$|(\w+ \w+ [0-9a-f]{4}|user-\d+)(Open|Completed|Abandoned|Timed out))/,
  },
  'flows/$flow/versions': {
    views: [({ flow }) => `flows/${flow}/versions`, ({ flow }) => `flows/${flow}/versions?as=json`],
    reads: /^(Export JSON$|More for this flow$|\/)/, // places of problems
    acts: { EDITOR: ['Publish', 'Preview', 'Go back to v1'] },
  },
  'flows/$flow/start': { views: [({ flow }) => `flows/${flow}/start`], reads: /^More for this flow$/ },
  'flows/$flow/edit': {
    views: [({ flow }) => `flows/${flow}/edit`],
    reads: /^(History|Zoom|Preview|Hide screens and layers|Problems: .+|State: .+|\d+ more in JSON)$/,
    acts: {
      EDITOR: [
        'Add a screen',
        'Choose Background color',
        'Depends on a condition…',
        'More for what is selected',
        'Reset Background',
        'Reset Background color',
        'Reset Keep off notches',
        ...screensOfDemo.map((name) => `More for ${name}`),
      ],
    },
  },
  'flows/$flow/preview': {
    views: [({ flow }) => `flows/${flow}/preview`],
    reads: /^(Restart|Details|Options|User)$/,
    acts: { EDITOR: ['On a phone'] },
  },
  channels: { views: [() => 'channels'], reads: /ch_live_\w+$/, acts: { EDITOR: ['New channel'] } },
  experiments: { views: [() => 'experiments'], acts: { EDITOR: ['New experiment'] } },
  'experiments/$experiment': {
    views: [({ experiment }) => `experiments/${experiment}`],
    acts: {
      EDITOR: [
        ...['Extend', 'Stop or promote', 'Choose goals'],
        ...['Create segment of Countdown', 'Create segment of Offer as it is'],
      ],
    },
  },
  revenue: { views: [() => 'revenue'] },
  health: { views: [() => 'health'] },
  media: { views: [() => 'media', () => 'media?type=font'], reads: /\d k?B$/, acts: { EDITOR: ['Upload files'] } },
  branding: {
    views: [() => 'branding'],
    acts: { ADMIN: ['Add color', 'Add font', 'Add gradient', 'Upload icon'] },
  },
  automations: {
    views: [() => 'automations'],
    reads: /^Demo receiver/,
    acts: { EDITOR: ['New automation', 'New destination', 'Save'] },
  },
  'automations/suppressed': {
    views: [() => 'automations/suppressed', () => 'automations/suppressed?email=a@plants.example'],
  },
  'automations/$automation': {
    views: ['', '?part=definition', '?part=versions', '?part=delivery&person=user-1', '?part=test-run&days=7'].map(
      (part) =>
        ({ automation }) =>
          `automations/${automation}${part}`,
    ),
    reads: /^(Run again|Explain|Estimate entries)$/,
    acts: {
      EDITOR: [
        ...['Add a step before Random split', 'Add a step before Wait 1m 00s', 'Add a step before End'],
        ...['before', 'after'].map((side) => `Add a step ${side} Send paywall.abandoned to Demo receiver`),
      ],
      ADMIN: ['Pause', 'Archive', 'Add users'],
    },
  },
  start: { views: [() => 'start'], reads: /^Open here$/ },
  settings: {
    views: [
      ...['keys', 'people', 'notifications', 'reports', 'plan', 'money', 'data', 'import', 'export', 'sql', 'history'],
    ].map((tab) => () => `settings?tab=${tab}`),
    reads: /^Show more$/, // of a history that is long
    acts: {
      VIEWER: ['New report', 'Send link'],
      ADMIN: [
        ...['New live key', 'New test key', 'Revoke', 'Invite', 'Remove', 'Connect', 'Save'],
        ...['Add provider’s secret', 'Generate new secret', 'Send a test event', 'Disconnect'],
        ...['Save export', 'Check connection'],
        ...['Choose a file', 'Create login', 'Create live secret', 'Create test secret', 'Send test message'],
      ],
      // The weekly report of the demo is its owner's.
      OWNER: ['Transfer ownership', 'Preview', 'Send now', 'Pause', 'Delete'],
    },
  },
};

/** Buttons of every page that choose what is shown. */
export const reading =
  /^(Explain [A-Z].*|All users|Filter|Saved views|Last 7 days|Last 12 months|(Previous|Next) period|CSV|Columns|Copy|Show \d+ rows)$/;

export async function idsOfDemo(): Promise<Ids> {
  type Found = {
    app: {
      flows: { nodes: { id: string; name: string }[] };
      experiments: { nodes: { id: string; status: string }[] };
      automations: { nodes: { id: string }[] };
      goals: { nodes: { id: string; name: string }[] };
      funnels: { nodes: { id: string; name: string }[] };
      environment: { publishableKeys: { nodes: { key: string }[] } };
    };
  };
  const { app } = await server.ask<Found>(
    `query ($app: ID!) { app(id: $app) {
      flows(first: 200) { nodes { id name } }
      experiments { nodes { id status } }
      automations { nodes { id } }
      goals { nodes { id name } }
      funnels { nodes { id name } }
      environment { publishableKeys(first: 1) { nodes { key } } }
    } }`,
    { app: server.apps[0]!.id },
  );
  const person = 'somebody';
  await fetch(`${server.baseUrl}/v1/sdk/identify`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${app.environment.publishableKeys.nodes[0]!.key}`,
    },
    body: JSON.stringify({
      appUserId: 'device-of-somebody',
      customUserId: person,
      email: 'somebody@plants.example',
      marketingConsent: 'denied',
    }),
  });
  return {
    flow: app.flows.nodes.find(({ name }) => name === 'Welcome')!.id,
    experiment: app.experiments.nodes.find(({ status }) => status === 'RUNNING')!.id,
    automation: app.automations.nodes[0]!.id,
    goal: app.goals.nodes.find(({ name }) => name === 'First plant')!.id,
    funnel: app.funnels.nodes.find(({ name }) => name === 'Welcome to purchase')!.id,
    person,
  };
}

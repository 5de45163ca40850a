import { expect, test } from 'vitest';
import { type Command, commandOf } from './command';
import { fieldsAt, partOf, pathsOf } from './part';

const text = `query Places($app: ID!, $scope: ScopeInput!, $dimension: LocationDimension!, $orderBy: SessionMetric!) { app(id: $app) {
  productAnalytics(scope: $scope) {
    series: demographicSeries(dimension: $dimension, metric: $orderBy, grain: $grain) { ...Line }
    table: demographic(dimension: $dimension, orderBy: $orderBy, ascending: $ascending, first: 50, search: $search) { totalCount }
    map: demographic(dimension: COUNTRY, orderBy: $orderBy, first: 250) { nodes { value } }
  } } }
  fragment Line on ValueSeries { value points { ...Point } }
  fragment Point on Point { bucket value }`;
const range = { start: '2026-01-01T00:00:00.000Z', end: '2026-01-08T00:00:00.000Z' };
const variables = {
  app: 'a1',
  dimension: 'REGION',
  orderBy: 'BOUNCE_RATE',
  ascending: true,
  search: "it's",
  grain: 'DAY',
  scope: {
    environment: 'TEST',
    timeZone: 'Europe/Berlin',
    range,
    platform: 'IOS',
    cross: {
      country: { op: 'IS_NOT', values: ['DE', ''] },
      acquisitionChannel: { op: 'IS', values: ['Paid Search'] },
      page: { op: 'CONTAINS', values: ['/a,b'] },
    },
  },
};
const asked = { text, variables };
const scope = [
  '--env test',
  '--time-zone Europe/Berlin',
  '--start 2026-01-01T00:00:00.000Z',
  '--end 2026-01-08T00:00:00.000Z',
  '--platform ios',
  '--xf-country DE',
  `--xf-country '""'`,
  '--xf-op-country is_not',
  "--xf-acquisition-channel 'Paid Search'",
  `--xf-page '"/a,b"'`,
  '--xf-op-page contains',
];
const linesOf = (command: Command | undefined) => command?.line.split(' \\\n  ');

test('the command says the whole view, in words that a shell keeps', () => {
  expect(linesOf(commandOf('app.productAnalytics.table', asked))).toEqual([
    'svc analytics product demographic a1',
    '--dimension region',
    '--order-by bounceRate',
    '--ascending',
    '--first 50',
    `--search 'it'\\''s'`,
    ...scope,
  ]);
});

test('of two parts that are the same field each has its own arguments', () => {
  expect(linesOf(commandOf('app.productAnalytics.map', asked))).toEqual([
    'svc analytics product demographic a1',
    '--dimension country',
    '--order-by bounceRate',
    '--first 250',
    ...scope,
  ]);
  expect(fieldsAt('app.productAnalytics.demographic', asked)).toBeUndefined();
});

test('a funnel is read from the standard input', () => {
  const text = `query F($app: ID!, $scope: ScopeInput!, $input: FunnelInput!) { app(id: $app) {
    productAnalytics(scope: $scope) { funnelBreakdown(input: $input, dimension: COUNTRY) { rows { value } } }
  } }`;
  const input = { steps: [{ condition: { page: { op: 'IS', name: "/it's" } } }, { goalId: 'g1' }], by: 'VISITOR' };
  const asked = { text, variables: { app: 'a1', scope: { timeZone: 'UTC' }, input } };
  expect(linesOf(commandOf('app.productAnalytics.funnelBreakdown', asked))).toEqual([
    `printf %s '{"steps":[{"condition":{"page":{"op":"IS","name":"/it'\\''s"}}},{"goalId":"g1"}],"by":"VISITOR"}' | svc analytics product funnel-breakdown a1`,
    '--funnel -',
    '--dimension country',
    '--time-zone UTC',
  ]);
});

test('reports of flows and of money have commands of their own, what has none says so', () => {
  const flow =
    'query F($scope: FlowAnalyticsScope!) { flowAnalytics(scope: $scope) { stepDuration { steps { id } } } }';
  const scope = { flowId: 'f1', timeZone: 'UTC', filters: { acquisitionChannel: { op: 'IS', values: ['Email'] } } };
  expect(commandOf('flowAnalytics.stepDuration.steps', { text: flow, variables: { scope } })).toEqual({
    line: 'svc analytics step-duration f1 \\\n  --time-zone UTC \\\n  --xf-channel Email',
    at: 'steps',
  });
  const money = `query R($scope: RevenueScope!) { revenue(scope: $scope) {
    breakdown(dimension: $by) { totalCount }
    subscriptions { state { mrr } }
    subscriptionSeries(grain: WEEK) { state { mrr } }
  } }`;
  const revenue = { text: money, variables: { by: 'PRODUCT', scope: { appId: 'a1', basis: 'CHARGE' } } };
  expect(linesOf(commandOf('revenue.breakdown', revenue))).toEqual([
    'svc analytics revenue a1',
    '--report breakdown',
    '--dimension product',
    '--basis charge',
  ]);
  expect(commandOf('revenue.subscriptions', revenue)).toEqual({
    line: 'svc analytics revenue a1 \\\n  --report overview \\\n  --basis charge',
    at: 'subscriptions',
  });
  expect(linesOf(commandOf('revenue.subscriptionSeries', revenue))).toContain('--report subscriptions');
  expect(commandOf('app.channels', { text: 'query { app(id: "a1") { channels { id } } }', variables: {} })).toBe(
    undefined,
  );
});

test('a filter that the command line does not know leaves no command, rather than one without it', () => {
  const scope = { ...variables.scope, unheardOf: 'x' };
  expect(commandOf('app.productAnalytics.map', { text, variables: { ...variables, scope } })).toBeUndefined();
  expect(commandOf('app.productAnalytics.map', { text, variables: { scope } })).toBeUndefined();
});

test('values that look like flags are none', () => {
  const search = { ...asked, variables: { ...variables, search: '--help' } };
  expect(linesOf(commandOf('app.productAnalytics.table', search))).toContain('--search=--help');
});

test('the query of a part asks for nothing else', () => {
  const map = partOf(asked, ['app.productAnalytics.map']);
  expect(map.text).toBe(`query Places($app: ID!, $scope: ScopeInput!, $orderBy: SessionMetric!) {
  app(id: $app) {
    productAnalytics(scope: $scope) {
      map: demographic(dimension: COUNTRY, orderBy: $orderBy, first: 250) {
        nodes {
          value
        }
      }
    }
  }
}`);
  expect(Object.keys(map.variables).sort()).toEqual(['app', 'orderBy', 'scope']);
  const two = partOf(asked, ['app.productAnalytics.map', 'app.productAnalytics.series']);
  expect(pathsOf(two.text)).toEqual([
    'app',
    'app.productAnalytics',
    'app.productAnalytics.series',
    'app.productAnalytics.series.value',
    'app.productAnalytics.series.points',
    'app.productAnalytics.series.points.bucket',
    'app.productAnalytics.series.points.value',
    'app.productAnalytics.map',
    'app.productAnalytics.map.nodes',
    'app.productAnalytics.map.nodes.value',
  ]);
});

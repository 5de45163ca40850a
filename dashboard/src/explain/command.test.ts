import { expect, test } from 'vitest';
import { argumentsOf, commandOf } from './command';

const text = `query Acquisition($app: ID!, $scope: ScopeInput!, $dimension: AttributionDimension!) { app(id: $app) {
  productAnalytics(scope: $scope) {
    series: attributionSeries(dimension: $dimension, metric: $orderBy, grain: $grain) { value }
    table: attribution(dimension: $dimension, orderBy: $orderBy, ascending: $ascending, first: 50, search: $search) { totalCount }
  } } }`;
const range = { start: '2026-01-01T00:00:00.000Z', end: '2026-01-08T00:00:00.000Z' };
const variables = {
  app: 'a1',
  dimension: 'ACQUISITION_CHANNEL',
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

test('a field is not mistaken for one whose name begins alike, nor for a variable', () => {
  expect(argumentsOf('attribution', text, variables)).toEqual({
    dimension: 'ACQUISITION_CHANNEL',
    orderBy: 'BOUNCE_RATE',
    ascending: true,
    first: 50,
    search: "it's",
  });
  expect(argumentsOf('dimension', text, variables)).toEqual({});
});

test('the command says the whole view, in words that a shell keeps', () => {
  expect(commandOf('attribution', { text, variables })!.split(' \\\n  ')).toEqual([
    'svc analytics product attribution a1',
    '--dimension acquisitionChannel',
    '--order-by bounceRate',
    '--ascending',
    '--first 50',
    `--search 'it'\\''s'`,
    '--env test',
    '--start 2026-01-01T00:00:00.000Z',
    '--end 2026-01-08T00:00:00.000Z',
    '--time-zone Europe/Berlin',
    '--platform ios',
    '--xf-country DE',
    `--xf-country '""'`,
    '--xf-op-country is_not',
    "--xf-acquisition-channel 'Paid Search'",
    `--xf-page '"/a,b"'`,
    '--xf-op-page contains',
  ]);
});

test('reports of flows and of money have commands of their own, what has none says so', () => {
  const flow =
    'query F($scope: FlowAnalyticsScope!) { flowAnalytics(scope: $scope) { stepDuration { steps { id } } } }';
  const scope = { flowId: 'f1', timeZone: 'UTC', filters: { acquisitionChannel: { op: 'IS', values: ['Email'] } } };
  expect(commandOf('stepDuration', { text: flow, variables: { scope } })).toBe(
    'svc analytics step-duration f1 \\\n  --time-zone UTC \\\n  --xf-channel Email',
  );
  const money =
    'query R($scope: RevenueScope!) { revenue(scope: $scope) { breakdown(dimension: $by) { totalCount } } }';
  expect(commandOf('breakdown', { text: money, variables: { by: 'PRODUCT', scope: { appId: 'a1' } } })).toBe(
    'svc analytics revenue a1 \\\n  --report breakdown \\\n  --dimension product',
  );
  expect(commandOf('channels', { text: 'query { app { channels } }', variables: {} })).toBeUndefined();
});

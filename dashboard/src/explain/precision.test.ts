import { expect, test } from 'vitest';
import { type Part, parts } from './parts';
import { isList, precisionOf } from './precision';

test('only what is counted from events says so', () => {
  const counted = (Object.keys(parts) as Part[]).filter((part) =>
    precisionOf([part]).includes('from all stored events'),
  );
  const reports = /^(app\.productAnalytics|app\.appFlowOverview|flowAnalytics)(\.|$)/;
  expect(counted).toEqual(
    (Object.keys(parts) as Part[]).filter((part) => reports.test(part) && part !== 'flowAnalytics.recent'),
  );
});

test('lists are no counts, unless values stand in them', () => {
  const lists: Part[] = [
    'app.funnels',
    'app.alerts',
    'app.scheduledReports',
    'app.webhookEndpoints',
    'app',
    'workspace',
  ];
  for (const list of lists) expect([list, isList([list])]).toEqual([list, true]);
  expect(isList(['app.automations'])).toBe(false);
  expect(isList(['app.flows', 'app.appFlowOverview'])).toBe(false);
});

test('a path is not taken for another that begins like it', () => {
  expect(precisionOf(['app.people'])).not.toBe(precisionOf(['app.person']));
  expect(precisionOf(['automation'])).toMatch(/entered/);
  expect(precisionOf(['app.automationLimits'])).toMatch(/^As stored/);
});

test('a card of several parts says each once, and nothing of what is listed beside', () => {
  expect(precisionOf(['app.flows', 'app.environment.channels', 'app.appFlowOverview'])).toBe(
    precisionOf(['app.appFlowOverview']),
  );
  expect(precisionOf(['revenue.totals', 'revenue.series'])).toBe(precisionOf(['revenue.totals']));
  expect(precisionOf(['revenue.totals', 'app.productAnalytics.series']).split('Exact: ')).toHaveLength(3);
});

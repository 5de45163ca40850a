import { describe, expect, it } from 'vitest';
import { buildTerminalSnapshot } from '../../src/flow/snapshot';
import {
  initFlowState,
  startFlow,
  submitResponse,
  type Validation,
  validateFlowCorrelation,
  validateFlowDevice,
  validateFlowTerminalSnapshot,
  validateResolveAssignment,
} from '../../src/index';
import { exampleManifest } from '../support/examples';

const correlation = {
  channelId: 'ch_test_main',
  flowId: 'a0000000-0000-4000-8000-0000000000aa',
  versionId: '00000000-0000-0000-0000-000000000000',
  assignmentVersion: 0,
  environment: 'test' as const,
  experimentId: null,
  variantId: null,
};
const assignment = {
  kind: 'flow',
  ...correlation,
  versionNumber: 3,
  manifest: exampleManifest('linear-onboarding'),
  mediaMap: { a: 'https://media.example/a.png' },
};

/** The snapshot of a finished run with every optional section. */
function snapshot(): Record<string, unknown> {
  let state = startFlow(
    initFlowState(exampleManifest('linear-onboarding'), { sdkAttributes: { plan: 'pro', seats: 3 } }),
  );
  state = submitResponse(state, { kind: 'end_flow' }, { now: '2026-01-01T00:00:00.000Z' });
  const made = buildTerminalSnapshot({
    state,
    correlation,
    subject: { appUserId: 'ada', customUserId: 'c1', sessionId: 's1' },
    appVersion: '1.2',
    customProperties: { tier: 'gold', age: 7, beta: true },
    options: {
      includeAnswerDetailInTerminalPayload: true,
      includeManifestInTerminalPayload: true,
      includePathInTerminalPayload: true,
    },
  });
  return JSON.parse(JSON.stringify(made));
}

/** A copy with the member at the dotted path replaced, or without it. */
function changed(value: unknown, path: string, to?: unknown): unknown {
  const copy = JSON.parse(JSON.stringify(value));
  const names = path.split('.');
  const last = names.pop() as string;
  const holder = names.reduce((at, name) => at[name], copy);
  if (to === undefined) delete holder[last];
  else holder[last] = to;
  return copy;
}

const fields = (result: Validation<unknown>): string[] =>
  result.valid ? [] : result.problems.map(({ field }) => field);

describe('terminal snapshot', () => {
  it('passes as the SDK builds it, and comes back as it is', () => {
    const made = snapshot();
    expect(made).toMatchObject({ path: expect.any(Array), manifest: expect.any(Object) });
    expect(validateFlowTerminalSnapshot(made)).toEqual({ valid: true, value: made });
  });

  it.each([
    'schemaVersion',
    'terminal',
    'occurredAt',
    'subject.appUserId',
    'device.locale',
    'correlation.environment',
    'answers',
    'traits',
  ])('names %s when it is missing', (path) => {
    expect(fields(validateFlowTerminalSnapshot(changed(snapshot(), path)))).toEqual([path]);
  });

  it.each([
    ['schemaVersion', 2],
    ['terminal', 'running'],
    ['occurredAt', 'yesterday'],
    ['subject.customUserId', ''],
    ['correlation.flowId', 'flow-1'],
    ['correlation.assignmentVersion', 1.5],
    ['device.customProperties.tier', { deep: true }],
    ['traits.plan', null],
    ['path.0', 7],
    ['manifest.screens', {}],
  ])('names %s when it is %j', (path, value) => {
    expect(fields(validateFlowTerminalSnapshot(changed(snapshot(), path, value)))).toEqual([path]);
  });

  it('tells everything that is wrong at once, and refuses what is no object', () => {
    const wrong = changed(changed(snapshot(), 'terminal'), 'correlation.flowId', 1);
    expect(fields(validateFlowTerminalSnapshot(wrong))).toEqual(['terminal', 'correlation.flowId']);
    for (const value of [null, undefined, [], 'text', 1]) {
      expect(validateFlowTerminalSnapshot(value)).toEqual({
        valid: false,
        problems: [{ field: '', message: 'must be an object' }],
      });
    }
  });
});

describe('resolve assignment', () => {
  it('passes with and without what older services leave out, and with what newer ones add', () => {
    expect(validateResolveAssignment(assignment).valid).toBe(true);
    expect(validateResolveAssignment(changed(assignment, 'kind')).valid).toBe(true);
    expect(validateResolveAssignment({ ...assignment, later: { field: 1 } }).valid).toBe(true);
  });

  it.each([
    ['kind', 'code'],
    ['versionNumber', 0],
    ['environment', 'staging'],
    ['channelId', ''],
    ['experimentId', 'e1'],
    ['mediaMap.a', 1],
    ['manifest.locales', 'en'],
    ['manifest.screens.0.id', ''],
  ])('names %s when it is %j', (path, value) => {
    expect(fields(validateResolveAssignment(changed(assignment, path, value)))).toEqual([path]);
  });
});

it('checks correlation and device by themselves', () => {
  expect(validateFlowCorrelation(correlation)).toEqual({ valid: true, value: correlation });
  expect(fields(validateFlowCorrelation({ ...correlation, variantId: '' }))).toEqual(['variantId']);
  expect(validateFlowDevice({ locale: 'en', platform: 'web' }).valid).toBe(true);
  expect(fields(validateFlowDevice({ platform: 3, appVersion: null }))).toEqual(['locale', 'platform', 'appVersion']);
});

import { describe, expect, it } from 'vitest';
import { buildTerminalAnswers } from '../../src/flow/answers';
import type { DecisionTelemetry, LandingFault } from '../../src/flow/landing';
import { activeInput } from '../../src/flow/layers';
import { canGoBack, currentActiveLayers } from '../../src/flow/machine';
import { buildTerminalSnapshot } from '../../src/flow/snapshot';
import { replaceSdkAttributes } from '../../src/flow/state';
import {
  type Expression,
  type FlowManifest,
  initFlowState,
  type Layer,
  type StepResponse,
  startFlow,
  submitResponse,
} from '../../src/index';
import { button, checkbox, manifest, screen, text, textInput } from '../support/builders';

const start = (document: FlowManifest, sdkAttributes = {}) => startFlow(initFlowState(document, { sdkAttributes }));
const cta: StepResponse = { kind: 'cta', action: 'primary' };

const tickedBox: Expression = {
  kind: 'predicate',
  variable: { kind: 'field', fieldKey: 'business' },
  predicate: { type: 'boolean', pred: { op: 'eq', value: true } },
};

function stack(id: string, children: Layer[]) {
  return { id, kind: 'stack' as const, direction: 'vertical' as const, children };
}

describe('starting', () => {
  it('stays idle without an entry', () => {
    const idle = initFlowState(manifest({ screens: [screen('scr_a', [])], entry: null }));
    expect(startFlow(idle)).toBe(idle);
  });

  it('completes at once when the entry leads to the end, with one time for both ends', () => {
    const decision = {
      id: 'dec_a',
      cases: [{ id: 'c', expression: { kind: 'empty' as const }, next: null }],
      elseNext: null,
    };
    const seen: DecisionTelemetry[] = [];
    const state = startFlow(initFlowState(manifest({ screens: [], entry: 'dec_a', decisions: [decision] })), {
      now: 'T0',
      onDecisionEvaluated: (telemetry) => seen.push(telemetry),
    });
    expect(state).toMatchObject({ status: 'completed', startedAt: 'T0', completedAt: 'T0', history: ['dec_a'] });
    expect(seen).toEqual([{ decisionNodeId: 'dec_a', matchedCaseId: null, clauseDigest: 'else' }]);
  });

  it.each([
    ['a decision cycle', 'dec_a', { kind: 'decision_cycle', nodeId: 'dec_a' }],
    ['an unknown target', 'scr_gone', { kind: 'unknown_target', nodeId: 'scr_gone' }],
  ])('ends on %s instead of hanging', (_, target, fault) => {
    const always = { kind: 'empty' as const };
    const decisions = [
      { id: 'dec_a', cases: [{ id: 'c', expression: always, next: null }], elseNext: 'dec_b' },
      { id: 'dec_b', cases: [{ id: 'c', expression: always, next: null }], elseNext: 'dec_a' },
    ];
    const faults: LandingFault[] = [];
    const state = submitResponse(start(manifest({ screens: [screen('scr_a', [], target)], decisions })), cta, {
      onFault: (seen) => faults.push(seen),
    });
    expect(state.status).toBe('completed');
    expect(faults).toEqual([fault]);
  });
});

describe('responses', () => {
  it('ignores everything once the run is over', () => {
    const done = submitResponse(start(manifest({ screens: [screen('scr_a', [])] })), cta);
    expect(done.status).toBe('completed');
    expect(submitResponse(done, cta)).toBe(done);
  });

  it('refuses an answer that the screen does not ask for', () => {
    const state = start(manifest({ screens: [screen('scr_a', [textInput('name')])] }));
    expect(submitResponse(state, { kind: 'scale', value: 3 })).toBe(state);
    expect(submitResponse(state, { kind: 'choice', choiceId: 'x' })).toBe(state);
  });

  it('keeps a checkbox under its own key even when the screen has an input', () => {
    const state = submitResponse(start(manifest({ screens: [screen('scr_a', [textInput('name'), checkbox('ok')])] })), {
      kind: 'checkbox',
      fieldKey: 'ok',
      value: true,
    });
    expect(Object.keys(state.responses)).toEqual(['ok']);
  });

  it('ends the flow when a permission outcome says end, whatever the default is', () => {
    const outcomes = { granted: 'end', denied: 'continue', blocked: 'scr_b' } as const;
    const ask = button('lyr_ask', { kind: 'request_os_permission', permissionKey: 'camera', outcomes });
    const document = manifest({ screens: [screen('scr_a', [ask], 'scr_c'), screen('scr_b', []), screen('scr_c', [])] });
    const answer = (outcome: 'granted' | 'denied' | 'blocked') =>
      submitResponse(start(document), {
        kind: 'permission_outcome',
        layerId: 'lyr_ask',
        permissionKey: 'camera',
        outcome,
      });
    expect(answer('granted').status).toBe('completed');
    expect(answer('denied').currentScreenId).toBe('scr_c');
    expect(answer('blocked').currentScreenId).toBe('scr_b');
  });

  it('never stores a password, not even one that a caller left on the object', () => {
    const document = manifest({ screens: [screen('scr_a', [], 'scr_b'), screen('scr_b', [])] });
    const leaky = {
      kind: 'email_password_auth_resolve',
      layerId: 'lyr_auth',
      fieldKey: 'login',
      mode: 'sign_up',
      email: 'a@b.c',
      password: 'hunter22-secret',
      confirmPassword: 'hunter22-secret',
      success: true,
    } as StepResponse;
    const state = submitResponse(start(document), leaky);
    expect(state.currentScreenId).toBe('scr_b');
    expect(JSON.stringify(state)).not.toContain('hunter22-secret');
    expect(buildTerminalAnswers(state)).toEqual({});
  });

  it('stays on the screen when signing in failed', () => {
    const state = submitResponse(start(manifest({ screens: [screen('scr_a', [], 'scr_b'), screen('scr_b', [])] })), {
      kind: 'oauth_login_resolve',
      layerId: 'lyr_o',
      provider: { type: 'preset', provider: 'google' },
      success: false,
      error: 'cancelled',
    });
    expect(state.currentScreenId).toBe('scr_a');
  });
});

describe('screen commit', () => {
  const branches = {
    id: 'lyr_cond',
    kind: 'conditional' as const,
    cases: [{ id: 'c1', expression: tickedBox, rootLayerId: 'lyr_b1' }],
    elseRootLayerId: 'lyr_b2',
    children: [stack('lyr_b1', [textInput('vat_id')]), stack('lyr_b2', [textInput('nickname')])],
  };
  const document = manifest({
    screens: [screen('scr_a', [checkbox('business'), branches], 'scr_b'), screen('scr_b', [text('lyr_t', 'x')])],
  });

  it('resolves the branches with the checkboxes of the same commit and drops answers of hidden ones', () => {
    const answer = (value: string) => ({ kind: 'text' as const, value, classification: 'safe' as const });
    let state = submitResponse(start(document), {
      kind: 'screen_commit',
      checkboxValues: { business: false },
      primary: answer('Bo'),
    });
    expect(buildTerminalAnswers(state)).toMatchObject({ nickname: { value: 'Bo' }, vat_id: null, business: false });
    state = submitResponse(state, { kind: 'go_back' });
    state = submitResponse(state, {
      kind: 'screen_commit',
      checkboxValues: { business: true },
      primary: answer('DE1'),
    });
    expect(buildTerminalAnswers(state)).toMatchObject({ nickname: null, vat_id: { value: 'DE1' }, business: true });
  });

  it('changes nothing when its response does not fit', () => {
    const state = start(document);
    const commit = { kind: 'screen_commit', checkboxValues: { business: true }, primary: { kind: 'scale', value: 1 } };
    expect(submitResponse(state, commit as StepResponse)).toBe(state);
  });

  it('finds the input of the branch that shows', () => {
    expect(activeInput(currentActiveLayers(start(document)))?.fieldKey).toBe('nickname');
  });
});

describe('going back', () => {
  const surface = { id: 'surf_a', config: { provider: 'headless' as const }, outcomes: {}, fallback: 'scr_b' };
  const document = manifest({ screens: [screen('scr_a', [], 'surf_a'), screen('scr_b', [])], surfaces: [surface] });

  it('skips surfaces, which have nothing to show a second time', () => {
    let state = submitResponse(start(document), cta);
    state = submitResponse(state, { kind: 'external_surface_outcome', nodeId: 'surf_a', outcome: 'completed' });
    expect(state.history).toEqual(['scr_a', 'surf_a', 'scr_b']);
    expect(canGoBack(state)).toBe(true);
    state = submitResponse(state, { kind: 'go_back' });
    expect(state.currentScreenId).toBe('scr_a');
    expect(state.history).toEqual(['scr_a']);
    expect(canGoBack(state)).toBe(false);
  });

  it('uses a fallback only when the history is used up', () => {
    const state = start(document);
    expect(canGoBack(state, 'scr_b')).toBe(true);
    expect(submitResponse(state, { kind: 'go_back', fallbackScreenId: 'scr_b' }).history).toEqual(['scr_b']);
    expect(submitResponse(state, { kind: 'go_back', fallbackScreenId: 'scr_gone' })).toBe(state);
  });
});

describe('attributes during a run', () => {
  it('keeps what surfaces wrote when host or attribution attributes change', () => {
    const surface = { id: 'surf_a', config: { provider: 'headless' as const }, outcomes: {}, fallback: 'scr_b' };
    let state = start(manifest({ screens: [screen('scr_b', [])], entry: 'surf_a', surfaces: [surface] }), {
      plan: 'free',
    });
    state = submitResponse(state, {
      kind: 'external_surface_outcome',
      nodeId: 'surf_a',
      outcome: 'completed',
      sdkKeyPatch: { onb_rc_last_event: 'completed' },
    });
    state = replaceSdkAttributes(state, { plan: 'pro', onb_rc_last_event: 'stale' });
    expect(state.session.sdkAttributes).toEqual({ plan: 'pro', onb_rc_last_event: 'completed' });
  });
});

describe('terminal snapshot', () => {
  const correlation = {
    channelId: 'ch_test_1',
    flowId: 'f',
    versionId: 'v',
    assignmentVersion: 3,
    environment: 'test' as const,
    experimentId: null,
    variantId: null,
  };
  const running = start(manifest({ screens: [screen('scr_a', [textInput('name')])] }), { plan: 'free' });
  const done = submitResponse(running, { kind: 'end_flow' }, { now: '2026-11-21T10:00:01.000Z' });

  it('does not exist before the end', () => {
    expect(buildTerminalSnapshot({ state: running, correlation, subject: { appUserId: 'u' } })).toBeNull();
  });

  it('has the required sections only, unless asked for more', () => {
    expect(
      buildTerminalSnapshot({
        state: done,
        correlation,
        subject: { appUserId: 'u', sessionId: 's' },
        appVersion: '1.2',
        customProperties: { tier: 'a' },
      }),
    ).toEqual({
      schemaVersion: 1,
      terminal: 'completed',
      occurredAt: '2026-11-21T10:00:01.000Z',
      correlation,
      subject: { appUserId: 'u', sessionId: 's' },
      device: { locale: 'en', platform: 'unknown', appVersion: '1.2', customProperties: { tier: 'a' } },
      answers: { name: null, scr_a: 'end_flow' },
      traits: { plan: 'free' },
    });
  });

  it('adds path, detail and manifest by flag', () => {
    const snapshot = buildTerminalSnapshot({
      state: done,
      correlation,
      subject: { appUserId: 'u' },
      options: {
        includePathInTerminalPayload: true,
        includeAnswerDetailInTerminalPayload: true,
        includeManifestInTerminalPayload: true,
      },
    });
    expect(snapshot?.path).toEqual(['scr_a']);
    expect(snapshot?.answersDetail).toEqual({ scr_a: { kind: 'end_flow' } });
    expect(snapshot?.manifest).toBe(done.manifest);
  });
});

import { describe, expect, it } from 'vitest';
import { buildTerminalAnswers } from '../../src/flow/answers';
import { renderTemplate } from '../../src/flow/template';
import {
  abandonFlow,
  type FlowSession,
  type FlowState,
  initFlowState,
  type StepResponse,
  startFlow,
  submitResponse,
} from '../../src/index';
import { type ExampleName, exampleManifest } from '../support/examples';

// The golden traces of runtime.md §16, with the corrections that answers are stored under field keys.

function position(state: FlowState): string {
  if (state.status !== 'running') return state.status;
  return state.pendingExternalSurface
    ? `@${state.pendingExternalSurface.nodeId}`
    : (state.currentScreenId ?? 'nowhere');
}

function run(example: ExampleName, session: Partial<FlowSession>, responses: StepResponse[]) {
  const decisions: string[] = [];
  const options = {
    now: '2026-11-21T10:00:00.000Z',
    onDecisionEvaluated: (seen: { decisionNodeId: string; matchedCaseId: string | null; clauseDigest: string }) =>
      decisions.push(`${seen.decisionNodeId}:${seen.matchedCaseId ?? 'else'}:${seen.clauseDigest}`),
  };
  let state = startFlow(initFlowState(exampleManifest(example), session), options);
  const positions = [position(state)];
  for (const response of responses) {
    state = submitResponse(state, response, options);
    positions.push(position(state));
  }
  return { state, positions, decisions };
}

const cta: StepResponse = { kind: 'cta', action: 'primary' };
const choice = (choiceId: string): StepResponse => ({ kind: 'choice', choiceId });
const text = (value: string): StepResponse => ({ kind: 'text', value, classification: 'sensitive' });
const address = { line1: 'Am Markt 1', city: 'Bremen', postalCode: '28195', country: 'DE' };

describe('golden traces', () => {
  it('L1: the linear example to its end', () => {
    const { state, positions } = run('linear-onboarding', {}, [
      cta,
      { kind: 'carousel' },
      text('Ana'),
      { kind: 'permission_outcome', layerId: 'lyr_nt_yes', permissionKey: 'notifications', outcome: 'denied' },
      { kind: 'end_flow' },
    ]);
    expect(positions).toEqual(['scr_welcome', 'scr_tour', 'scr_name', 'scr_notify', 'scr_ready', 'completed']);
    expect(buildTerminalAnswers(state)).toEqual({
      scr_welcome: 'primary',
      scr_tour: 'carousel',
      first_name: { value: 'Ana', classification: 'sensitive' },
      'permission:notifications': 'denied',
      scr_ready: 'end_flow',
    });
    const line = 'Shall we remind you, {{ first_name | default: "friend" }}?';
    const context = { manifest: state.manifest, locale: 'en' };
    expect(renderTemplate(line, { ...context, responses: state.responses })).toBe('Shall we remind you, Ana?');
    expect(renderTemplate(line, { ...context, responses: {} })).toBe('Shall we remind you, friend?');
  });

  it('L2: jump, skip, back and answer', () => {
    const { state, positions } = run('linear-onboarding', {}, [
      { kind: 'go_to_screen', screenId: 'scr_name' },
      { kind: 'skip' },
      { kind: 'go_back' },
      text('Bo'),
      { kind: 'skip' },
      { kind: 'end_flow' },
    ]);
    expect(positions).toEqual([
      'scr_welcome',
      'scr_name',
      'scr_notify',
      'scr_name',
      'scr_notify',
      'scr_ready',
      'completed',
    ]);
    expect(state.history).toEqual(['scr_welcome', 'scr_name', 'scr_notify', 'scr_ready']);
    expect(buildTerminalAnswers(state)).toMatchObject({
      scr_welcome: { goToScreen: 'scr_name' },
      first_name: { value: 'Bo', classification: 'sensitive' },
      scr_name: 'skip',
    });
  });

  it('B1: branches of choices win over the default, answers sit under their field keys', () => {
    const { state, positions, decisions } = run('branching-onboarding', { locale: 'en', platform: 'ios' }, [
      choice('rescue'),
      { kind: 'multiChoice', choiceIds: ['yellow', 'bugs'] },
      {
        kind: 'screen_commit',
        checkboxValues: { call_consent: true },
        primary: {
          kind: 'phone',
          value: '+4915112345678',
          countryCode: 'DE',
          nationalNumber: '015112345678',
          classification: 'sensitive',
        },
      },
      { kind: 'address', value: address, classification: 'sensitive' },
      text(''),
      { kind: 'end_flow' },
    ]);
    expect(positions).toEqual([
      'scr_goal',
      'scr_symptoms',
      'scr_contact',
      'scr_ship',
      'scr_email',
      'scr_summary',
      'completed',
    ]);
    expect(decisions).toEqual([]);
    expect(buildTerminalAnswers(state)).toEqual({
      goal: 'rescue',
      symptoms: ['yellow', 'bugs'],
      phone: {
        value: '+4915112345678',
        countryCode: 'DE',
        nationalNumber: '015112345678',
        classification: 'sensitive',
      },
      call_consent: true,
      shipping: { value: address, classification: 'sensitive' },
      email: { value: '', classification: 'sensitive' },
      scr_summary: 'end_flow',
    });
  });

  it('B2: a numeric string is no number, and decisions report their digest', () => {
    const { positions, decisions } = run(
      'branching-onboarding',
      { locale: 'de', platform: 'android', sdkAttributes: { owned_plants: '12', beta_user: 'yes' } },
      [
        choice('collect'),
        { kind: 'number_stepper', value: 3 },
        { kind: 'wheel', value: 'summer' },
        { kind: 'date_time', value: '08:30', classification: 'safe' },
      ],
    );
    expect(positions).toEqual(['scr_goal', 'scr_size', 'scr_season', 'scr_remind', 'scr_contact']);
    expect(decisions).toEqual(['dec_collector:else:else', 'dec_route:de:d56f64ccb']);
  });

  it('B3: a number that matches', () => {
    const { positions, decisions } = run(
      'branching-onboarding',
      { locale: 'en', platform: 'web', sdkAttributes: { owned_plants: 12 } },
      [choice('collect'), { kind: 'wheel', value: '1999' }, { kind: 'end_flow' }],
    );
    expect(positions).toEqual(['scr_goal', 'scr_birth', 'scr_summary', 'completed']);
    expect(decisions).toEqual(['dec_collector:many:d3184f3c']);
  });

  it('P1: a surface patch is seen by the decision after it', () => {
    const { positions, decisions } = run('paywall-flow', { platform: 'ios' }, [
      cta,
      {
        kind: 'external_surface_outcome',
        nodeId: 'surf_mobile',
        outcome: 'purchase_completed',
        sdkKeyPatch: { onb_rc_last_period_type: 'trial' },
      },
      cta,
    ]);
    expect(positions).toEqual(['scr_offer', '@surf_mobile', 'scr_free', 'completed']);
    expect(decisions).toEqual(['dec_platform:else:else', 'dec_after:trial:dd5d0c217']);
  });

  it('P2: another surface is ignored, an unlisted outcome takes the fallback', () => {
    const { positions, decisions } = run('paywall-flow', { platform: 'web' }, [
      cta,
      { kind: 'external_surface_outcome', nodeId: 'surf_mobile', outcome: 'dismissed' },
      { kind: 'external_surface_outcome', nodeId: 'surf_web', outcome: 'dismissed' },
      cta,
    ]);
    expect(positions).toEqual(['scr_offer', '@surf_web', '@surf_web', 'scr_free', 'completed']);
    expect(decisions).toEqual(['dec_platform:web:d5cd64872']);
  });

  it('P3: the explicit end of a surface', () => {
    const { positions } = run('paywall-flow', { platform: 'ios' }, [
      { kind: 'go_to_screen', screenId: 'surf_survey' },
      { kind: 'external_surface_outcome', nodeId: 'surf_survey', outcome: 'dismissed' },
    ]);
    expect(positions).toEqual(['scr_offer', '@surf_survey', 'completed']);
  });

  it('P4: neq is false for a missing value', () => {
    const { positions, decisions } = run(
      'paywall-flow',
      { platform: 'ios', sdkAttributes: { 'attribution.isOrganic': false } },
      [
        cta,
        { kind: 'external_surface_outcome', nodeId: 'surf_mobile', outcome: 'purchase_completed' },
        { kind: 'end_flow' },
      ],
    );
    expect(positions).toEqual(['scr_offer', '@surf_mobile', 'scr_thanks', 'completed']);
    expect(decisions).toEqual(['dec_platform:else:else', 'dec_after:else:else']);
  });

  it('walks every screen of the all-layers example', () => {
    const start = startFlow(initFlowState(exampleManifest('all-layers')));
    let state = start;
    const seen: string[] = [];
    while (state.status === 'running') {
      seen.push(position(state));
      state = submitResponse(state, { kind: 'skip' });
      expect(seen.length).toBeLessThan(50);
    }
    expect(seen).toEqual(start.manifest.screens.map((screen) => screen.id));
    expect(abandonFlow(start, 'T').status).toBe('abandoned');
  });
});

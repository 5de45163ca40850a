import { describe, expect, it } from 'vitest';
import type { FlowEventInput, FlowManifest, FlowTerminalSnapshot, Layer, StepResponse } from '../../src/index';
import { FlowRun } from '../../src/run/flow-run';
import { button, checkbox, manifest, screen, textInput } from '../support/builders';
import { exampleManifest } from '../support/examples';
import { settle } from '../support/fake-platform';
import { flowAnswer } from '../support/flow-answer';

const RUN = 'c0000000-0000-4000-8000-000000000001';

function setUp(
  document: FlowManifest,
  session: { locale?: string; platform?: string; sdkAttributes?: Record<string, string | number | boolean> } = {},
) {
  const events: FlowEventInput[] = [];
  const snapshots: FlowTerminalSnapshot[] = [];
  const run = new FlowRun({
    flow: flowAnswer({ manifest: document, experimentId: 'x', variantId: 'v' }),
    channelId: 'ch_test_asked',
    session,
    runId: RUN,
    now: () => Date.UTC(2026, 10, 21),
    emit: (event) => events.push(event),
    subject: () => ({ appUserId: 'ada' }),
    context: () => ({ platform: 'ios', appVersion: '3.0' }),
    onFlowCompleted: (snapshot) => snapshots.push(snapshot),
    onFlowAbandoned: (snapshot) => snapshots.push(snapshot),
  });
  const short = () => events.map(({ name, stepId }) => (stepId === undefined ? name : `${name}@${stepId}`));
  return { run, events, snapshots, short };
}
const cta: StepResponse = { kind: 'cta', action: 'primary' };

describe('order of events', () => {
  it('of a linear run: capture, completion of the step, view of the next; none for the last step', async () => {
    const { run, events, short, snapshots } = setUp(exampleManifest('linear-onboarding'));
    run.start();
    run.start();
    for (const response of [
      cta,
      { kind: 'carousel' },
      { kind: 'text', value: 'Ana', classification: 'sensitive' },
      { kind: 'permission_outcome', layerId: 'lyr_nt_yes', permissionKey: 'notifications', outcome: 'denied' },
      { kind: 'end_flow' },
    ] as StepResponse[]) {
      expect(run.respond(response)).toBe(true);
    }
    expect(short()).toEqual([
      'flow_started',
      'step_viewed@scr_welcome',
      'step_completed@scr_welcome',
      'step_viewed@scr_tour',
      'step_completed@scr_tour',
      'step_viewed@scr_name',
      'text_submitted@scr_name',
      'step_completed@scr_name',
      'step_viewed@scr_notify',
      'text_submitted@scr_notify',
      'step_completed@scr_notify',
      'step_viewed@scr_ready',
      'flow_completed',
    ]);
    expect(events[6]).toEqual({
      name: 'text_submitted',
      stepId: 'scr_name',
      properties: { field_key: 'first_name', value: '__redacted__' },
      fieldClassification: 'sensitive',
      runId: RUN,
      seq: 6,
    });
    expect(events.map(({ runId, seq }) => [runId, seq])).toEqual(events.map((_, seq) => [RUN, seq]));
    const views = events.filter(({ name }) => name === 'step_viewed').map(({ fromStepId }) => fromStepId);
    expect(views).toEqual([null, 'scr_welcome', 'scr_tour', 'scr_name', 'scr_notify']);
    expect(events.filter(({ fromStepId }) => fromStepId !== undefined)).toHaveLength(views.length);
    expect(events[9]?.properties).toEqual({ field_key: 'permission:notifications', value: 'denied' });
    expect(events[12]?.properties).toEqual({ responseCount: 5 });
    expect(snapshots).toEqual([]);
    await settle();
    expect(snapshots).toHaveLength(1);
    expect(snapshots[0]).toMatchObject({
      terminal: 'completed',
      correlation: { channelId: 'ch_test_asked', experimentId: 'x', variantId: 'v', assignmentVersion: 1 },
      subject: { appUserId: 'ada' },
      device: { appVersion: '3.0' },
      answers: { first_name: { value: 'Ana', classification: 'sensitive' } },
    });
  });

  it('of jumps, skips and back', () => {
    const { run, events, short } = setUp(exampleManifest('linear-onboarding'));
    run.start();
    run.respond({ kind: 'go_to_screen', screenId: 'scr_name' });
    run.respond({ kind: 'skip' });
    run.respond({ kind: 'go_back' });
    run.respond({ kind: 'go_to_screen', screenId: 'scr_ready' });
    expect(short().slice(2)).toEqual([
      'step_completed@scr_welcome',
      'step_viewed@scr_name',
      'step_skipped@scr_name',
      'step_viewed@scr_notify',
      'step_viewed@scr_name',
      'step_completed@scr_name',
      'step_viewed@scr_ready',
    ]);
    const empty = { field_key: 'first_name', empty_capture: true };
    expect([events[2]?.properties, events[4]?.properties, events[7]?.properties]).toEqual([undefined, empty, empty]);
  });

  it('of decisions and surfaces', () => {
    const { run, events, short } = setUp(exampleManifest('paywall-flow'), { platform: 'ios' });
    run.start();
    run.respond(cta);
    expect(run.reportExternalSurfaceOutcome('surf_web', 'dismissed')).toBe(false);
    run.reportExternalSurfaceOutcome('surf_mobile', 'purchase_completed', {
      sdkKeyPatch: { onb_rc_last_period_type: 'trial' },
      commerce: { productId: 'pro_year', price: 9.5, currency: 'eur', periodType: 'trial' },
    });
    run.respond({ kind: 'skip' });
    expect(short()).toEqual([
      'flow_started',
      'step_viewed@scr_offer',
      'decision_evaluated',
      'step_completed@scr_offer',
      'surface_presented@surf_mobile',
      'surface_outcome@surf_mobile',
      'iap_purchase@surf_mobile',
      'decision_evaluated',
      'step_viewed@scr_free',
      'step_skipped@scr_free',
      'flow_completed',
    ]);
    expect(events[2]?.properties).toEqual({
      decision_node_id: 'dec_platform',
      matched_case_id: null,
      used_else_branch: true,
      clause_digest: 'else',
    });
    expect(events[4]?.properties).toEqual({
      surface_node_id: 'surf_mobile',
      provider: 'revenuecat',
      offering_id: 'spring_offer',
    });
    expect(events[6]?.properties).toEqual({
      provider: 'revenuecat',
      surface_node_id: 'surf_mobile',
      product_id: 'pro_year',
      price: 9.5,
      currency: 'EUR',
      period_type: 'trial',
    });
    expect(run.state.session.sdkAttributes).toMatchObject({ onb_rc_last_period_type: 'trial' });
  });

  it('of an entry that is a decision or the end: both are told', async () => {
    const decision = {
      id: 'dec_a',
      cases: [{ id: 'c', expression: { kind: 'empty' as const }, next: null }],
      elseNext: null,
    };
    const { run, short, snapshots } = setUp(manifest({ screens: [], entry: 'dec_a', decisions: [decision] }));
    run.start();
    await settle();
    expect([short(), snapshots.length]).toEqual([['flow_started', 'decision_evaluated', 'flow_completed'], 1]);
  });

  it('says nothing for a failed sign-in and does not count the same screen twice', () => {
    const { run, short } = setUp(manifest({ screens: [screen('scr_a', [], 'scr_a')] }));
    run.start();
    run.respond({
      kind: 'email_password_auth_resolve',
      layerId: 'l',
      fieldKey: 'f',
      mode: 'sign_in',
      email: 'a@b.c',
      success: false,
    });
    expect(short()).toEqual(['flow_started', 'step_viewed@scr_a']);
    run.respond(cta);
    expect(short()).toEqual(['flow_started', 'step_viewed@scr_a', 'step_completed@scr_a']);
  });
});

describe('what answers become events', () => {
  const base = { id: 'lyr_x', fieldKey: 'x', classification: 'safe' as const };
  const address = { line1: 'L', city: 'C', postalCode: 'P', country: 'DE' };
  const options = ['a', 'b'].map((optionId) => ({ optionId, label: { default: optionId } }));
  const choice = {
    ...base,
    children: ['a', 'b'].map((id) => ({ id, kind: 'stack' as const, direction: 'vertical' as const, children: [] })),
    optionBindings: ['a', 'b'].map((id) => ({ optionId: id, rootLayerId: id })),
    branching: { enabled: false, conditions: [] },
  };
  it.each<[Layer, StepResponse, [string, string][]]>([
    [
      { ...choice, kind: 'multiple_choice' },
      { kind: 'multiChoice', choiceIds: ['b', 'a'] },
      [
        ['choice_selected', 'b'],
        ['choice_selected', 'a'],
      ],
    ],
    [{ ...choice, kind: 'single_choice' }, { kind: 'choice', choiceId: 'b' }, [['choice_selected', 'b']]],
    [{ ...base, kind: 'scale_input', min: 0, max: 1 }, { kind: 'scale', value: 0.5 }, [['text_submitted', '0.5']]],
    [{ ...base, kind: 'wheel_picker', options }, { kind: 'wheel', value: 'a' }, [['choice_selected', 'a']]],
    [{ ...base, kind: 'wheel_picker', mode: 'date' }, { kind: 'wheel', value: '1998' }, [['text_submitted', '1998']]],
    [
      { ...base, kind: 'date_time_input' },
      { kind: 'date_time', value: '2026-01-01', classification: 'safe' },
      [['text_submitted', '2026-01-01']],
    ],
    [
      { ...base, kind: 'number_stepper', min: 0, max: 9, children: [] },
      { kind: 'number_stepper', value: 3 },
      [['text_submitted', '3']],
    ],
    [
      { ...base, kind: 'address_input' },
      { kind: 'address', value: address, classification: 'safe' },
      [['text_submitted', '{"city":"C","country":"DE","line1":"L","postalCode":"P"}']],
    ],
    [
      { ...base, kind: 'address_input', classification: 'sensitive' },
      { kind: 'address', value: address, classification: 'safe' },
      [['text_submitted', '__redacted__']],
    ],
  ])('%j', (layer, response, expected) => {
    const { run, events } = setUp(manifest({ screens: [screen('scr_a', [layer], 'scr_b'), screen('scr_b', [])] }));
    run.start();
    run.respond(response);
    const captured = events.filter((event) => event.name === 'choice_selected' || event.name === 'text_submitted');
    expect(captured.map((event) => [event.name, event.properties?.value])).toEqual(expected);
    expect(captured.every((event) => event.properties?.field_key === 'x')).toBe(true);
  });

  it('checkboxes come first, then the draft, then the review', () => {
    const review = button('lyr_r', { kind: 'request_app_review' });
    const { run, events } = setUp(
      manifest({
        screens: [screen('scr_a', [textInput('name'), checkbox('ok'), review], 'scr_b'), screen('scr_b', [])],
      }),
    );
    run.start();
    run.trackAppReview('shown', 'lyr_r');
    run.trackAppReview('dismissed', 'lyr_r');
    run.respond({
      kind: 'screen_commit',
      checkboxValues: { ok: true },
      capturedDraft: { kind: 'text', value: 'Bo', classification: 'safe' },
      primary: { kind: 'app_review_outcome', layerId: 'lyr_r', outcome: 'dismissed' },
    });
    expect(events.slice(2, -2).map((event) => [event.name, event.properties])).toEqual([
      ['app_review_prompt_shown', { layer_id: 'lyr_r' }],
      ['app_review_prompt_dismissed', { layer_id: 'lyr_r' }],
      ['text_submitted', { field_key: 'ok', value: 'true' }],
      ['text_submitted', { field_key: 'name', value: 'Bo' }],
      ['text_submitted', { field_key: 'app_review:lyr_r', value: 'dismissed' }],
    ]);
  });
});

describe('ends', () => {
  const document = manifest({ screens: [screen('scr_a', [])] });

  it('abandon tells the host once, also when the component goes afterwards', async () => {
    const { run, short, snapshots } = setUp(document);
    run.start();
    run.abandon();
    run.abandon();
    run.dispose();
    await settle();
    expect(short().filter((name) => name.startsWith('flow_abandoned'))).toEqual(['flow_abandoned@scr_a']);
    expect(snapshots.map((snapshot) => snapshot.terminal)).toEqual(['abandoned']);
  });

  it('dispose records an open run without telling the host, and nothing for an idle or a finished one', async () => {
    const open = setUp(document);
    open.run.start();
    open.run.dispose();
    open.run.dispose();
    expect(open.run.respond(cta)).toBe(false);
    await settle();
    expect(open.short()).toEqual(['flow_started', 'step_viewed@scr_a', 'flow_abandoned@scr_a']);
    expect(open.snapshots).toEqual([]);
    const idle = setUp(document);
    idle.run.dispose();
    expect(idle.short()).toEqual([]);
    const done = setUp(document);
    done.run.start();
    done.run.respond(cta);
    done.run.dispose();
    expect(done.short().slice(-1)[0]).toBe('flow_completed');
  });
});

it('records links by scheme and host, and each attribution provider once', () => {
  const { run, events } = setUp(manifest({ screens: [screen('scr_a', [])] }), {
    sdkAttributes: { 'attribution.provider': ' AppsFlyer ' },
  });
  run.start();
  run.setAttributes({ 'attribution.provider': 'appsflyer' });
  run.setAttributes({ 'attribution.provider': 'other' });
  run.setAttributes({ 'attribution.provider': 'not valid!' });
  run.trackExternalLinkOpened({ layerId: 'l', href: 'https://user@Example.com:8443/p?q' });
  run.trackExternalLinkOpened({ layerId: 'l', href: 'mailto:a@b.c' });
  const rest = events.filter((event) => event.properties).map((event) => event.properties);
  expect(rest).toEqual([
    { attribution_provider: 'appsflyer' },
    { attribution_provider: 'other' },
    { layerId: 'l', hrefScheme: 'https', linkHost: 'example.com' },
    { layerId: 'l', hrefScheme: 'mailto' },
  ]);
});

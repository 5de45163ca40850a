import { createMemoryStore, type ExternalSurfaceNode, type FlowState, initFlowState } from '@svc/core';
import { describe, expect, it, vi } from 'vitest';
import { finishPayment, startPayment } from '../src/payment/payment';
import { clearPaymentResume, loadPaymentResume, resumedState } from '../src/payment/resume';
import {
  buildPaymentRedirectUrl,
  buildPaymentReturnUrl,
  productIdFromPaymentLink,
  readPaymentReturn,
  removePaymentParams,
} from '../src/payment/return-url';
import { twoScreens } from './support/service';

const LINK = 'https://buy.stripe.com/test_link';

describe('addresses', () => {
  it('carry the attempt to the payment page and back', () => {
    expect(buildPaymentRedirectUrl(`${LINK}?locale=de`, 'a 1')).toBe(`${LINK}?locale=de&client_reference_id=a+1`);
    expect(buildPaymentReturnUrl('https://shop.example/p?x=1&svc_stripe_status=cancel#h', 'success', 'a1')).toBe(
      'https://shop.example/p?x=1&svc_stripe_status=success&svc_stripe_resume=a1#h',
    );
    expect(productIdFromPaymentLink(`${LINK}/`)).toBe('test_link');
  });

  it.each(['http://buy.stripe.com/x', 'https://stripe.com.evil.example/x', 'https://evilstripe.com/x', 'nonsense'])(
    '%s is no payment link',
    (link) => {
      expect(() => buildPaymentRedirectUrl(link, 'a')).toThrow();
    },
  );

  it.each([
    ['?svc_stripe_status=success&svc_stripe_resume=a', { status: 'success', attemptId: 'a' }],
    ['?svc_stripe_status=cancel', { status: 'cancel', attemptId: null }],
    ['?session_id=cs_test_1', { status: 'success', attemptId: null }],
    ['?session_id=mine&svc_stripe_status=maybe', { status: null, attemptId: null }],
    ['', { status: null, attemptId: null }],
  ])('%j says %j', (search, expected) => {
    expect(readPaymentReturn(search)).toEqual(expected);
  });

  it('are cleaned afterwards, without a session id of the site', () => {
    const own = 'svc_stripe_status=success&svc_stripe_resume=a';
    expect(removePaymentParams(`https://s.example/?a=1&${own}&session_id=cs_live_1`)).toBe('https://s.example/?a=1');
    expect(removePaymentParams('https://s.example/?session_id=mine')).toBe('https://s.example/?session_id=mine');
  });
});

describe('a payment', () => {
  const node: ExternalSurfaceNode = {
    id: 'surf_pay',
    config: { provider: 'stripe', paymentLinkUrl: LINK },
    outcomes: {},
    fallback: null,
  };
  const flow = twoScreens();
  const state: FlowState = {
    ...initFlowState(flow.manifest, { sdkAttributes: { 'acquisition.source': 'ads', plan: 'x' } }),
    status: 'running',
    pendingExternalSurface: { nodeId: 'surf_pay' },
  };
  const place = { runId: 'c0000000-0000-4000-8000-000000000001', nextSeq: 3, stepId: 'surf_pay' };
  const run = { channelId: 'ch_test_main', appUserId: 'ada', flow, state, place };
  const setUp = () => {
    const create = vi.fn(async (_input: unknown) => ({ attemptId: 'a1', expiresAt: 'T' }));
    const cancel = vi.fn(async () => 'cancelled' as const);
    const redirect = vi.fn();
    return { checkout: { create, cancel }, redirect, page: { tab: createMemoryStore(), redirect } };
  };

  it('keeps the run in the tab, leaves, and is taken up by the same person on the same channel only', async () => {
    const { checkout, page, redirect } = setUp();
    expect(await startPayment(checkout, node, run, page)).toBeNull();
    expect(redirect).toHaveBeenCalledWith(`${LINK}?client_reference_id=a1`);
    expect(checkout.create.mock.calls[0]?.[0]).toMatchObject({
      surfaceId: 'surf_pay',
      attribution: { 'acquisition.source': 'ads' },
    });
    const load = (channelId = run.channelId, person = 'ada') =>
      loadPaymentResume(page.tab, channelId, (id) => id === person);
    const kept = load();
    expect(kept && resumedState(kept)).toEqual(state);
    expect(kept?.place).toEqual(place);
    expect(load(undefined, 'bob')).toBeNull();
    expect(load('other')).toBeNull();
    clearPaymentResume(page.tab);
    expect(load()).toBeNull();
    page.tab.setItem('svc_stripe_checkout_resume_v1', '{"version":2');
    expect(load()).toBeNull();
  });

  it('fails without leaving when there is no link, no attempt or no store', async () => {
    const { checkout, page, redirect } = setUp();
    const without: ExternalSurfaceNode = { ...node, config: { provider: 'stripe' } };
    const elsewhere: ExternalSurfaceNode = {
      ...node,
      config: { provider: 'stripe', paymentLinkUrl: 'https://x.example' },
    };
    const full = {
      ...page.tab,
      setItem: () => {
        throw new Error('full');
      },
    };
    expect(await startPayment(checkout, without, run, page)).toBe('failed');
    expect(await startPayment(checkout, elsewhere, run, page)).toBe('failed');
    expect(checkout.create).not.toHaveBeenCalled();
    expect(await startPayment(checkout, node, run, { ...page, tab: full })).toBe('failed');
    checkout.create.mockRejectedValueOnce(new Error('offline'));
    expect(await startPayment(checkout, node, run, page)).toBe('failed');
    expect(redirect).not.toHaveBeenCalled();
  });

  it('that was cancelled meanwhile is not begun', async () => {
    const { checkout, page, redirect } = setUp();
    expect(await startPayment(checkout, node, run, page, () => false)).toBeNull();
    expect(checkout.cancel).toHaveBeenCalledWith('ch_test_main', 'a1');
    expect(redirect).not.toHaveBeenCalled();
  });

  it('ends as its attempt says, and a return of another attempt says nothing', async () => {
    const checkout = {
      outcomeOfSuccessReturn: vi.fn(async () => 'purchase_completed' as const),
      outcomeOfPlainReturn: vi.fn(async () => 'failed' as const),
    };
    const kept = { attemptId: 'a1', channelId: 'ch' };
    const finish = (search: string) => finishPayment(checkout, kept, search);
    expect(await finish('?svc_stripe_status=success&svc_stripe_resume=a1')).toBe('purchase_completed');
    expect(await finish('?svc_stripe_status=cancel')).toBe('purchase_cancelled');
    expect(await finish('')).toBe('failed');
    expect(await finish('?svc_stripe_status=success&svc_stripe_resume=other')).toBeNull();
    expect(checkout.outcomeOfSuccessReturn).toHaveBeenCalledTimes(1);
  });
});

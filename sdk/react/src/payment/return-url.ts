import { parseQuery } from '@svc/core/internal';

/** Query parameter that says how the payment page was left. */
export const PAYMENT_STATUS_PARAM = 'svc_stripe_status';
/** Query parameter with the attempt that the return belongs to. */
export const PAYMENT_RESUME_PARAM = 'svc_stripe_resume';
/** The processor's own parameter; a checkout session in it means success. */
export const PAYMENT_SESSION_PARAM = 'session_id';

const CHECKOUT_SESSION = /^cs_(test|live)_/;
const OWN_PARAMS: ReadonlySet<string> = new Set([PAYMENT_STATUS_PARAM, PAYMENT_RESUME_PARAM, PAYMENT_SESSION_PARAM]);

/** Address of a payment link that carries the attempt. Throws when the link is no https address of the processor. */
export function buildPaymentRedirectUrl(paymentLinkUrl: string, attemptId: string): string {
  const url = new URL(paymentLinkUrl);
  const { protocol, hostname } = url;
  if (protocol !== 'https:' || !(hostname === 'stripe.com' || hostname.endsWith('.stripe.com'))) {
    throw new Error(`not a payment link: ${paymentLinkUrl}`);
  }
  url.searchParams.set('client_reference_id', attemptId);
  return url.href;
}

/** Address to set as the payment page's success or cancel address. */
export function buildPaymentReturnUrl(pageUrl: string, status: 'success' | 'cancel', attemptId?: string): string {
  const url = new URL(removePaymentParams(pageUrl));
  url.searchParams.set(PAYMENT_STATUS_PARAM, status);
  if (attemptId) url.searchParams.set(PAYMENT_RESUME_PARAM, attemptId);
  return url.href;
}

export interface PaymentReturn {
  /** Null when the address does not tell. */
  status: 'success' | 'cancel' | null;
  attemptId: string | null;
}

/** What the address of a page says about a payment; a success is a claim that is checked against the attempt. */
export function readPaymentReturn(search: string): PaymentReturn {
  const parameters = parseQuery(search);
  const status = parameters.get(PAYMENT_STATUS_PARAM);
  const session = CHECKOUT_SESSION.test(parameters.get(PAYMENT_SESSION_PARAM) ?? '');
  return {
    status: status === 'success' || status === 'cancel' ? status : session ? 'success' : null,
    attemptId: parameters.get(PAYMENT_RESUME_PARAM) || null,
  };
}

/** The address without the payment's parameters. A `session_id` that is none of the processor's stays. */
export function removePaymentParams(pageUrl: string): string {
  const url = new URL(pageUrl);
  for (const name of OWN_PARAMS) {
    if (name === PAYMENT_SESSION_PARAM && !CHECKOUT_SESSION.test(url.searchParams.get(name) ?? '')) continue;
    url.searchParams.delete(name);
  }
  return url.href;
}

/** Product of a payment link for analytics: the last part of its path, at most 256 characters. */
export function productIdFromPaymentLink(paymentLinkUrl: string): string {
  const parts = new URL(paymentLinkUrl).pathname.split('/').filter((part) => part !== '');
  return (parts[parts.length - 1] ?? '').slice(0, 256);
}

import type { AttributionAttributes } from '../analytics/attribution-keys';
import { SvcApiError } from '../errors';
import type { Platform } from '../host/platform';
import { type ApiConnection, apiError, send } from './http';

export type CheckoutStatus = 'pending' | 'confirmed' | 'cancelled' | 'expired';
export interface CheckoutAttemptInput {
  channelId: string;
  flowId: string;
  versionId: string;
  experimentId?: string | null;
  variantId?: string | null;
  surfaceId: string;
  appUserId: string;
  paymentLinkUrl: string;
  attribution?: AttributionAttributes;
}

const BASE = '/v1/sdk/stripe/checkout-attempts';
/** A payment that came back as successful is asked about this often … */
export const CHECKOUT_POLL_INTERVAL_MS = 1_000;
/** … and at most this long; the webhook is usually there before the browser. */
export const CHECKOUT_POLL_LIMIT_MS = 10_000;

/** Payments by link: attempts that tie a payment to the run it came from (wire.md §8.4). */
export class CheckoutAttempts {
  constructor(
    private readonly platform: Platform,
    private readonly connection: ApiConnection,
  ) {}

  /** Opens an attempt; its id travels as the link's `client_reference_id`. */
  async create(input: CheckoutAttemptInput): Promise<{ attemptId: string; expiresAt: string }> {
    const body = (await this.call(BASE, input.channelId, 'POST', JSON.stringify(input))) as Record<string, unknown>;
    if (typeof body.attemptId !== 'string')
      throw new SvcApiError(200, 'invalid_response', 'the answer has no attemptId');
    return { attemptId: body.attemptId, expiresAt: String(body.expiresAt ?? '') };
  }

  async status(channelId: string, attemptId: string): Promise<CheckoutStatus> {
    return readStatus(await this.call(`${BASE}/${encodeURIComponent(attemptId)}`, channelId, 'GET'));
  }

  async cancel(channelId: string, attemptId: string): Promise<CheckoutStatus> {
    return readStatus(await this.call(`${BASE}/${encodeURIComponent(attemptId)}/cancel`, channelId, 'POST', '{}'));
  }

  /**
   * What a success return comes to: the attempt is asked until it is decided or the time is up. Still undecided
   * counts as completed, since the visitor has paid and the webhook books the money.
   */
  async outcomeOfSuccessReturn(
    channelId: string,
    attemptId: string,
  ): Promise<'purchase_completed' | 'purchase_cancelled'> {
    const deadline = this.platform.now() + CHECKOUT_POLL_LIMIT_MS;
    for (;;) {
      const status = await this.status(channelId, attemptId).catch((): CheckoutStatus => 'pending');
      if (status === 'confirmed') return 'purchase_completed';
      if (status === 'cancelled' || status === 'expired') return 'purchase_cancelled';
      if (this.platform.now() + CHECKOUT_POLL_INTERVAL_MS > deadline) return 'purchase_completed';
      await new Promise<void>((resolve) => void this.platform.setTimeout(resolve, CHECKOUT_POLL_INTERVAL_MS));
    }
  }

  /** What a return without a status comes to: a pending attempt is cancelled. */
  async outcomeOfPlainReturn(
    channelId: string,
    attemptId: string,
  ): Promise<'purchase_completed' | 'purchase_cancelled' | 'failed'> {
    try {
      const status = await this.status(channelId, attemptId);
      if (status === 'confirmed') return 'purchase_completed';
      // The webhook may have confirmed it between the two requests.
      if (status === 'pending' && (await this.cancel(channelId, attemptId)) === 'confirmed')
        return 'purchase_completed';
      return 'purchase_cancelled';
    } catch {
      return 'failed';
    }
  }

  private async call(path: string, channelId: string, method: 'GET' | 'POST', body?: string): Promise<unknown> {
    const request = { path, channelId, method, ...(body === undefined ? {} : { body }) };
    const response = await send(this.platform, this.connection, request);
    if (response.status < 200 || response.status >= 300) throw apiError(response);
    return response.body;
  }
}

function readStatus(body: unknown): CheckoutStatus {
  const status = (body as { status?: unknown } | undefined)?.status;
  if (status === 'pending' || status === 'confirmed' || status === 'cancelled' || status === 'expired') return status;
  throw new SvcApiError(200, 'invalid_response', 'the answer has no checkout status');
}

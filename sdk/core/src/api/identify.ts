import { SvcApiError } from '../errors';
import type { Platform } from '../host/platform';
import { type ApiConnection, apiError, send } from './http';

/** Marketing consent of a person (wire.md §8.1). */
export type MarketingConsent = 'granted' | 'denied' | 'unknown';

/** What `identify` may say about the person on this device. Blank names clear, missing ones stay. */
export interface IdentifyInput {
  /** Needs `marketingConsent`. */
  email?: string;
  /** `granted` needs an e-mail. */
  marketingConsent?: MarketingConsent;
  topicConsents?: Record<string, MarketingConsent>;
  customUserId?: string;
  /** What proves `customUserId`, when it is another than the client's. */
  customUserIdProof?: string;
  attributes?: Record<string, string | number | boolean | null>;
  firstName?: string | null;
  lastName?: string | null;
  phone?: string;
  locale?: string;
  /** Two letters. */
  country?: string;
  /** IANA name. */
  timezone?: string;
}
/**
 * What was sent, consents that were not as `unknown`: keys of apps are public and tell nothing that was known before.
 * With a proof of the custom id it is the person's.
 */
export interface IdentifyResult {
  appUserId: string;
  email: string | null;
  marketingConsent: MarketingConsent;
  topicConsents: Record<string, MarketingConsent>;
  merged: boolean;
  /** The app requires proof, and the custom id had none: it was taken for absent. */
  unproved?: true;
}

/**
 * Tells the service who a person is.
 *
 * @throws SvcApiError, SvcNetworkError
 */
export async function identify(
  platform: Platform,
  connection: ApiConnection,
  person: IdentifyInput & { appUserId: string },
): Promise<IdentifyResult> {
  const response = await send(platform, connection, { path: '/v1/sdk/identify', body: JSON.stringify(person) });
  if (response.status !== 200) throw apiError(response);
  const result = response.body as IdentifyResult | null | undefined;
  if (typeof result?.appUserId !== 'string')
    throw new SvcApiError(200, 'invalid_response', 'the answer has no appUserId');
  return result;
}

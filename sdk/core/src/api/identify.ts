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
export interface IdentifyResult {
  appUserId: string;
  email: string | null;
  marketingConsent: MarketingConsent;
  topicConsents: Record<string, MarketingConsent>;
  merged: boolean;
}

/** Names under which the SDK keeps things on the device (interface.md §2.9, wire.md §7.2 and §10.3). */
export const PERSISTED_APP_USER_ID_KEY = 'svc_app_user_id';
export const SESSION_ID_KEY = 'svc_product_analytics_session_id';
export const SESSION_LAST_AT_KEY = 'svc_product_analytics_session_last_at';
export const FIRST_SENT_KEY = 'svc_product_analytics_first_sent';
export const FIRST_TOUCH_KEY = 'svc_web_attribution_first_touch_v1';
/** In the tab's store: the snapshot that the current session was started with. */
export const SESSION_ATTRIBUTION_KEY = 'svc_web_attribution_session_v1';
/** In the tab's store: a payment under way. The only key that survives a denial of consent. */
export const CHECKOUT_RESUME_KEY = 'svc_stripe_checkout_resume_v1';

/** Whether a key is the SDK's own. */
export function isOwnKey(key: string): boolean {
  return key.startsWith('svc_') || key.startsWith('svc:');
}

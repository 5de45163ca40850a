import type { AnalyticsConsent } from '../config';

/**
 * The visitor's decision on web analytics (interface.md §3.1). It is never stored: the host keeps it and passes it
 * in the config or by a call.
 */
export class ConsentState {
  private value: AnalyticsConsent;
  private fromConfig: AnalyticsConsent | undefined;

  /**
   * @param config what the provider's config says at mount
   * @param call what `setAnalyticsConsent` was called with before the provider mounted; it wins
   */
  constructor(config: AnalyticsConsent | undefined, call?: AnalyticsConsent) {
    this.fromConfig = config;
    this.value = call ?? config ?? 'pending';
  }

  get current(): AnalyticsConsent {
    return this.value;
  }

  /** Takes a call. Returns whether anything changed. */
  set(value: AnalyticsConsent): boolean {
    if (value === this.value) return false;
    this.value = value;
    return true;
  }

  /**
   * Takes the config of a later render. Only a value that differs from the config's last one counts, so that the
   * same literal never takes back what a call decided. Returns whether anything changed.
   */
  applyConfig(value: AnalyticsConsent | undefined): boolean {
    if (value === this.fromConfig) return false;
    this.fromConfig = value;
    return this.set(value ?? 'pending');
  }
}

import type { EventProperties } from '../analytics/limits';
import { ResolveCache } from '../api/resolve-cache';
import { type ResolveResult, Resolver } from '../api/resolver';
import { SvcClient } from './client';
import { recordTrack } from './record-track';

/** The client of a server, which asks and sends for many people. */
export class SvcServerClient extends SvcClient {
  /** Sends an event of `track` in the name of a person. */
  trackFor(appUserId: string, name: string, properties?: EventProperties): void {
    this.whenReady(() => recordTrack(this, this.delivery.track, { appUserId }, name, properties, this.platform.now()));
  }

  /**
   * Resolves a channel for any person and keeps nothing.
   *
   * @throws SvcConfigError, SvcChannelRequiredError, SvcApiError, SvcNetworkError
   */
  async resolveFor(
    appUserId: string,
    channelId: string,
    context: { locale?: string; appVersion?: string } = {},
  ): Promise<ResolveResult> {
    if (this.configError) throw this.configError;
    const { loadTimeoutMs } = this.config;
    const resolver = new Resolver(this.platform, this.connection, new ResolveCache(() => null), this.logger);
    try {
      const subject = { ...this.person.subject(appUserId), ...context };
      return await resolver.resolve(channelId, subject, { loadTimeoutMs, bundled: this.options.bundled });
    } catch (error) {
      this.host.reportLoadFailure(channelId, error);
      throw error;
    }
  }
}

import type { ResolveResult, Resolver, ResolveSubject } from '../api/resolver';
import type { ResolvedFlow } from '../api/types';
import type { SvcConfig } from '../config';
import type { SvcConfigError } from '../errors';
import type { HostCallbacks } from './host-callbacks';
import type { SvcClientOptions } from './options';

export interface FlowRequestsOptions {
  resolver: Resolver;
  host: HostCallbacks;
  bundled: SvcClientOptions['bundled'];
  /** Why the config cannot work; null when it can. */
  configError: SvcConfigError | null;
  /** Resolves when the store can be read; null when it can already. */
  wait(): Promise<void> | null;
  config(): SvcConfig;
  subject(): ResolveSubject;
}

/** Asks the service for flows, for the person of now. */
export class FlowRequests {
  constructor(private readonly options: FlowRequestsOptions) {}

  /** Returns what memory holds for a channel and this person. */
  peek(channelId: string): ResolvedFlow | undefined {
    return this.options.configError ? undefined : this.options.resolver.peek(channelId.trim(), this.options.subject());
  }

  /** Resolves a channel; a failure is reported to the host and thrown. */
  resolve(channelId: string): Promise<ResolveResult> {
    return this.reported(channelId, async () => {
      await this.options.wait();
      const { loadTimeoutMs, loading } = this.options.config();
      const { bundled } = this.options;
      return this.options.resolver.resolve(channelId, this.options.subject(), {
        ...(loadTimeoutMs ? { loadTimeoutMs } : {}),
        ...(loading ? { loading } : {}),
        ...(bundled ? { bundled } : {}),
      });
    });
  }

  /** Asks for what a preview link shows; a failure is reported to the host and thrown. */
  preview(token: string): Promise<ResolvedFlow> {
    return this.reported('', () => this.options.resolver.preview(token, this.options.config().loadTimeoutMs));
  }

  /** Loads one channel, or all, ahead of use. */
  async prefetch(channelId?: string): Promise<void> {
    const { configError, resolver, subject } = this.options;
    if (configError) return;
    await this.options.wait();
    return channelId === undefined ? resolver.prefetchAll(subject()) : resolver.prefetch(channelId, subject());
  }

  private async reported<T>(channelId: string, request: () => Promise<T>): Promise<T> {
    // That the config cannot work is reported once, for all channels.
    if (this.options.configError) throw this.options.configError;
    try {
      return await request();
    } catch (error) {
      this.options.host.reportLoadFailure(channelId, error);
      throw error;
    }
  }
}

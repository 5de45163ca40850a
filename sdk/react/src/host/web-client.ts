import { type Platform, SvcClient, type SvcConfig } from '@svc/core';
import type { ResumableRun } from '@svc/core/internal';
import {
  earlierConsent,
  type HostClient,
  type HostClientOptions,
  type ProviderCallbacks,
  relay,
} from '@svc/react-core';
import { loadPaymentResume, resumedState } from '../payment/resume';
import { createBrowserPlatform, isBrowser, tabStore } from './browser-platform';
import { SYSTEM_COLOR_SCHEME } from './color-scheme';
import { onAddressChange, onLeave } from './page-events';
import { WEB_ACTIONS } from './permissions';

/** A client with what a page adds to it, and a life that React's double mount does not end. */
export class WebClient implements HostClient {
  readonly platform: Platform;
  readonly client: SvcClient;
  readonly actions = WEB_ACTIONS;
  readonly colorScheme = SYSTEM_COLOR_SCHEME;
  callbacks: ProviderCallbacks = {};
  private stop: (() => void) | null = null;
  private closing: unknown = null;

  constructor(config: SvcConfig, options: HostClientOptions) {
    const platform = createBrowserPlatform();
    const consent = earlierConsent();
    this.platform = platform;
    this.client = new SvcClient({
      platform,
      config,
      kind: 'web',
      defaultPlatform: 'web',
      ...options,
      ...(isBrowser()
        ? {
            page: {
              current: () => platform.parseUrl(window.location.href),
              referrer: platform.parseUrl(document.referrer),
            },
          }
        : {}),
      ...(consent ? { earlierConsent: consent } : {}),
      onError: (report) => this.callbacks.onError?.(report),
      onEvent: (event) => this.callbacks.onEvent?.(event),
    });
  }

  /** Takes the module functions and begins to count pages. */
  mount(): void {
    const { client, platform } = this;
    if (this.closing !== null) platform.clearTimeout(this.closing);
    this.closing = null;
    client.reopen();
    // Buffered calls come first: they were made before, and time must not run backwards within a session.
    relay.attach(client);
    client.pageView();
    const stops = [onAddressChange(() => client.pageView()), onLeave(() => client.leavePage())];
    this.stop = () => {
      for (const stop of stops) stop();
    };
  }

  /**
   * Lets go, unless `mount` follows at once. Flows of the same tree wait one task before they end; sending what is
   * left comes after them.
   */
  unmount(): void {
    const { platform } = this;
    this.stop?.();
    this.stop = null;
    relay.detach(this.client);
    this.closing = platform.setTimeout(() => {
      this.closing = platform.setTimeout(() => void this.client.close(), 0);
    }, 0);
  }

  /** The run that left for a payment page, when the visitor has come back from there. */
  resume(channelId: string): ResumableRun | null {
    const kept = loadPaymentResume(tabStore(this.platform), channelId, (appUserId) =>
      this.client.maySucceed(appUserId),
    );
    if (!kept) return null;
    const { flow, appUserId, place } = kept;
    return { flow, state: resumedState(kept), appUserId, ...(place ? { place } : {}) };
  }
}

/** The client of a `SvcProvider`. */
export function createWebClient(config: SvcConfig, options: HostClientOptions): WebClient {
  return new WebClient(config, options);
}

import {
  type KeyValueStore,
  type Platform,
  type ResolvedFlow,
  type SdkLogLevel,
  SvcClient,
  type SvcConfig,
  type SvcErrorReport,
  type SvcEvent,
} from '@svc/core';
import { createBrowserPlatform, isBrowser } from '../host/browser-platform';
import { onAddressChange, onLeave } from '../host/page-events';
import { earlierConsent, relay } from './relay';

/** Callbacks of the latest render; the client outlives renders. */
export interface ProviderCallbacks {
  onError?: (report: SvcErrorReport) => void;
  onEvent?: (event: SvcEvent) => void;
}

/** A client with what a page adds to it, and a life that React's double mount does not end. */
export class WebClient {
  readonly platform: Platform;
  readonly client: SvcClient;
  callbacks: ProviderCallbacks = {};
  private stop: (() => void) | null = null;
  private closing: unknown = null;

  constructor(
    config: SvcConfig,
    options: { logLevel?: SdkLogLevel; bundled?: Readonly<Record<string, ResolvedFlow>> },
  ) {
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

  /** The store of this tab; may throw. */
  get tab(): KeyValueStore {
    return this.platform.sessionStorage ?? this.platform.storage;
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
}

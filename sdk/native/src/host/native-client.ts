import { SvcClient } from '@svc/core';
import {
  type HostClient,
  type HostClientOptions,
  type PlatformActions,
  type ProviderCallbacks,
  relay,
} from '@svc/react-core';
import { createDefaultAttributionProviders } from '../attribution/providers';
import { AttributionRuntime } from '../attribution/runtime';
import type { AttributionConfig, NativeSvcConfig } from '../provider/config';
import { isInBackground, onAppState } from './app-state';
import { deviceColorScheme } from './color-scheme';
import { deviceContext, osPlatform } from './device';
import type { DeviceStorage } from './device-storage';
import { createNativePlatform } from './native-platform';
import type { PreloadedStore } from './preloaded-store';

/** What lives as long as the app and is shared by all providers of a flavour. */
export interface NativeHost {
  device: DeviceStorage;
  store: PreloadedStore;
  actions: PlatformActions;
}

/** A client with what an app adds to it, and a life that React's double mount does not end. */
export class NativeClient implements HostClient {
  readonly platform;
  readonly client: SvcClient;
  readonly actions: PlatformActions;
  readonly colorScheme = deviceColorScheme;
  callbacks: ProviderCallbacks = {};
  private readonly attribution: AttributionRuntime;
  private wantsAttribution: boolean;
  private mounted = false;
  private stop: (() => void) | null = null;
  private closing: unknown = null;

  constructor(host: NativeHost, config: NativeSvcConfig, options: HostClientOptions) {
    const { device, store } = host;
    this.platform = createNativePlatform(store, device);
    this.actions = host.actions;
    // A config that cannot work makes a client that does nothing, which needs no settings.
    const attribution = config?.attribution ?? {};
    this.wantsAttribution = attribution.enabled !== false;
    const storage = attribution.storage === undefined ? device : attribution.storage;
    this.attribution = new AttributionRuntime({
      providers: attribution.providers ?? createDefaultAttributionProviders(),
      storage: attribution.cache === false ? null : storage,
      ...(attribution.cacheTtlMs === undefined ? {} : { cacheTtlMs: attribution.cacheTtlMs }),
      session: store,
      namespace: async () => {
        await this.client.ready;
        return this.client.appUserId;
      },
    });
    this.client = new SvcClient({
      platform: this.platform,
      config,
      kind: 'app',
      defaultPlatform: osPlatform(),
      attribution: this.attribution,
      deviceContext: deviceContext(),
      ready: store.load(),
      ...options,
      onError: (report) => this.callbacks.onError?.(report),
      onEvent: (event) => this.callbacks.onEvent?.(event),
    });
    this.client.onPersonChange(() => void this.attribution.changeNamespace());
  }

  /** Takes what the host says about attribution now. Nobody is listened to while it is off. */
  setAttribution(config: AttributionConfig | undefined): void {
    const wanted = config?.enabled !== false;
    if (wanted === this.wantsAttribution) return;
    this.wantsAttribution = wanted;
    if (!wanted) this.attribution.disable();
    else if (this.mounted) this.attribution.start();
  }

  /** Takes the module functions, begins a session and follows the app to the background and back. */
  mount(): void {
    const { client, platform } = this;
    if (this.closing !== null) platform.clearTimeout(this.closing);
    this.closing = null;
    this.mounted = true;
    client.reopen();
    if (this.wantsAttribution) this.attribution.start();
    // Buffered calls come first: they were made before, and time must not run backwards within a session.
    relay.attach(client);
    if (!isInBackground()) client.enterForeground();
    this.stop = onAppState({
      background: () => client.enterBackground(),
      foreground: () => client.enterForeground(),
    });
  }

  /**
   * Lets go, unless `mount` follows at once. Flows of the same tree wait one task before they end; sending what is
   * left comes after them.
   */
  unmount(): void {
    const { platform } = this;
    this.mounted = false;
    this.stop?.();
    this.stop = null;
    this.attribution.stop();
    relay.detach(this.client);
    this.closing = platform.setTimeout(() => {
      this.closing = platform.setTimeout(() => void this.client.close(), 0);
    }, 0);
  }
}

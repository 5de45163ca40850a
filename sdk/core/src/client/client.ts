import { ConsentState } from '../analytics/consent';
import { AnonymousId } from '../analytics/identity';
import type { EventProperties } from '../analytics/limits';
import { ProductAnalytics } from '../analytics/product';
import { SessionStore } from '../analytics/session';
import { NO_ATTRIBUTION, WebSessionAttribution } from '../analytics/session-attribution';
import { pageName } from '../analytics/web-attribution';
import { type ApiConnection, apiError, send } from '../api/http';
import { type IdentifyInput, type IdentifyResult, identify } from '../api/identify';
import { ResolveCache } from '../api/resolve-cache';
import { type ResolveResult, Resolver } from '../api/resolver';
import type { ResolvedFlow } from '../api/types';
import { type AnalyticsConsent, findConfigError, resolveApiBaseUrl, type SvcConfig } from '../config';
import type { SvcConfigError } from '../errors';
import type { EventQueue } from '../events/queue';
import { canonicalJson } from '../flow/digest';
import type { SdkAttributes } from '../flow/responses';
import { createLogger, type SdkLogger } from '../host/log';
import { createMemoryStore, createSafeStore } from '../host/memory-store';
import type { KeyValueStore, Platform } from '../host/platform';
import { EventDelivery } from './delivery';
import { EarlyCalls } from './early-calls';
import { EventNames } from './event-names';
import { HostCallbacks } from './host-callbacks';
import type { SvcClientOptions } from './options';
import { removeOwnKeys } from './own-keys';
import { Person } from './person';
import { recordTrack } from './record-track';
import { Runs } from './runs';

/**
 * Everything behind a provider: it ties identity, consent, cache, queues and analytics together. One exists per
 * mounted provider and nothing in it is global, so that two server renders share nothing.
 */
export class SvcClient {
  readonly logger: SdkLogger;
  /** @internal */
  readonly host: HostCallbacks;
  /** @internal */
  readonly person: Person;
  /** @internal */
  readonly analytics: ProductAnalytics;
  /** @internal */
  readonly resolver: Resolver;
  /** @internal */
  readonly cache: ResolveCache;
  /** @internal */
  readonly runs: Runs;
  /**
   * For requests of parts that are loaded when they are needed.
   *
   * @internal
   */
  readonly connection: ApiConnection;
  /**
   * Why the config of a production build cannot work; null when it can. Such a client does nothing and says so once
   * through `onError`, when its provider is mounted.
   */
  readonly configError: SvcConfigError | null;
  /** @internal */
  protected readonly platform: Platform;
  /** @internal */
  protected readonly delivery: EventDelivery;
  private readonly device: KeyValueStore;
  private readonly tab: KeyValueStore;
  private readonly sessions: SessionStore;
  private readonly consent: ConsentState;
  private readonly early: EarlyCalls;
  private readonly webAttribution: WebSessionAttribution | null;
  private readonly names: EventNames;
  /** @internal */
  protected config: SvcConfig;
  private configText: string;
  private configErrorReported = false;
  private closed = false;

  /** @throws SvcConfigError in development builds, when the config cannot work */
  constructor(
    /** @internal */
    protected readonly options: SvcClientOptions,
  ) {
    const { platform, kind } = options;
    this.configError = findConfigError(options.config);
    if (this.configError && platform.developmentBuild) throw this.configError;
    const config: SvcConfig = options.config ?? { publishableKey: '' };
    this.platform = platform;
    this.config = config;
    this.configText = comparable(config);
    this.logger = createLogger(platform, options.logLevel);
    this.host = new HostCallbacks(platform, options);
    this.names = new EventNames(platform);
    this.device = createSafeStore(platform.storage);
    this.tab = createSafeStore(platform.sessionStorage ?? createMemoryStore());
    this.sessions = new SessionStore(platform, this.device);
    this.consent = new ConsentState(kind === 'web' ? config.analytics?.consent : 'granted', options.earlierConsent);
    this.connection = {
      baseUrl: this.configError ? '' : resolveApiBaseUrl(config),
      publishableKey: config.publishableKey,
      fetcher: (url, init) => (this.config.fetcher ?? platform.fetch)(url, init),
    };
    this.person = new Person(
      platform,
      () => this.config,
      new AnonymousId(platform, this.device, this.mayKeep),
      options.defaultPlatform,
    );
    this.cache = new ResolveCache(() => (this.mayKeep ? (platform.cacheStorage ?? platform.storage) : null));
    this.resolver = new Resolver(platform, this.connection, this.cache, this.logger);
    this.delivery = new EventDelivery({
      platform,
      connection: this.connection,
      logger: this.logger,
      host: this.host,
      mayKeep: () => this.mayKeep && this.config.persistence === 'device',
    });
    if (this.configError) this.delivery.disable();
    this.webAttribution = options.page
      ? new WebSessionAttribution(this.tab, this.device, options.page.current, options.page.referrer)
      : null;
    const attribution = options.attribution ?? this.webAttribution;
    this.runs = new Runs(this.person, this.delivery.flow, this.host, attribution);
    this.analytics = new ProductAnalytics({
      platform,
      queue: this.delivery.product,
      sessions: this.sessions,
      attribution: attribution ?? NO_ATTRIBUTION,
      firstEvent: kind === 'web' ? 'first_visit' : 'first_open',
      identity: () => ({ appUserId: this.appUserId, ...this.person.custom }),
      context: () => ({ ...options.deviceContext, ...this.person.device() }),
      logger: this.logger,
      onEvent: (event) => this.host.tell({ path: 'product', event }),
      onInvalid: (eventId, name) => this.host.reportInvalid('product', eventId, name),
    });
    if (this.collects) this.analytics.start();
    options.attribution?.onChange?.(() => this.runs.changes.tell());
    this.early = new EarlyCalls(options.ready, this.person, this.logger);
  }

  /** Whether the store can be read; `ready` resolves when it can. */
  get isReady(): boolean {
    return this.early.isReady;
  }

  /** Resolves when flows can be resolved and events recorded. */
  get ready(): Promise<void> {
    return this.early.ready;
  }

  /** @internal */
  protected whenReady(call: () => void): void {
    if (!this.configError) this.early.run(call);
  }

  // Configuration and person -------------------------------------------------------------------------------

  get currentConfig(): SvcConfig {
    return this.config;
  }

  /** Whether a config asks the same service as the same app; otherwise a new client is needed. */
  servesConfig(config: SvcConfig): boolean {
    const error = findConfigError(config);
    if (error || this.configError) return error?.message === this.configError?.message;
    const { publishableKey, baseUrl } = this.connection;
    return config.publishableKey === publishableKey && resolveApiBaseUrl(config) === baseUrl;
  }

  /**
   * Takes the config of a later render. Equal by value means nothing happens. A new `userId` ends the product
   * session and makes flows resolve again; a new `customUserId` is on later events.
   */
  updateConfig(config: SvcConfig): void {
    if (this.configError) return;
    const text = comparable(config);
    const before = this.config;
    this.config = config;
    if (text === this.configText) return;
    this.configText = text;
    if (config.customUserId !== before.customUserId) this.person.customUserIdCall = undefined;
    if (this.options.kind === 'web' && this.consent.applyConfig(config.analytics?.consent)) this.followConsent();
    else this.followEnabled();
    this.delivery.followPermission();
    if (config.userId !== before.userId) {
      this.whenReady(() => this.analytics.endSession());
      this.person.changes.tell();
      if (before.userId) this.signOut();
    }
    if (canonicalJson(config.sdkAttributes ?? {}) !== canonicalJson(before.sdkAttributes ?? {}))
      this.runs.changes.tell();
  }

  /** The id that flows and events go by: the host's, else the anonymous one of this device. */
  get appUserId(): string {
    return this.person.appUserId;
  }

  get currentCustomUserId(): string | undefined {
    return this.person.custom.customUserId;
  }

  /**
   * Sets the person's id in the host's system for later events, with what the host's server made of it for apps that
   * have it proved; null or blank takes it away.
   */
  setCustomUserId(id: string | null | undefined, proof?: string): void {
    this.person.setCustomUserId(id, proof);
  }

  /** Starts over as somebody new: after a sign-out on a shared device. */
  reset(): void {
    this.person.setCustomUserId(null);
    this.whenReady(() => {
      this.analytics.endSession();
      this.person.anonymous.reset();
      this.sessions.forgetFirst();
      this.person.changes.tell();
      this.signOut();
    });
  }

  /** Nothing of a person who left stays on the device: what is undelivered goes now, or waits in memory. */
  private signOut(): void {
    this.delivery.forgetCopies();
    this.delivery.flush();
  }

  /** Calls back when another person uses the device: runs are abandoned and flows resolved again. */
  onPersonChange(listener: () => void): () => void {
    return this.person.changes.add(listener);
  }

  /**
   * Whether the person of now may take up a run of this id. An anonymous visitor whose id may not be kept has
   * another one after every load, so the tab that holds the run has to be proof enough.
   *
   * @internal
   */
  maySucceed(appUserId: string): boolean {
    return appUserId === this.appUserId || (!this.config.userId && !this.mayKeep);
  }

  /**
   * Tells the service who the person is.
   *
   * @throws SvcConfigError, SvcApiError, SvcNetworkError
   */
  async identify(input: IdentifyInput): Promise<IdentifyResult> {
    if (this.configError) throw this.configError;
    if (!this.isReady) await this.ready;
    const { appUserId } = this;
    return identify(this.platform, this.connection, {
      appUserId,
      ...('customUserId' in input ? {} : this.person.custom),
      ...input,
    });
  }

  /** Links the person to an id of a billing provider. Fire and forget. */
  setBillingIdentity(provider: 'revenuecat' | 'superwall', externalId: string): void {
    this.whenReady(() => {
      const body = JSON.stringify({ appUserId: this.appUserId, provider, externalId });
      send(this.platform, this.connection, { path: '/v1/sdk/billing-identities', body })
        .then((response) => {
          if (response.status >= 300) throw apiError(response);
        })
        .catch((error: unknown) => this.logger.warn('billing identity failed', error));
    });
  }

  // Consent ------------------------------------------------------------------------------------------------

  get analyticsConsent(): AnalyticsConsent {
    return this.consent.current;
  }

  /** Takes the visitor's decision on web analytics (interface.md §3.1). Apps have no such state. */
  setAnalyticsConsent(value: 'granted' | 'denied'): void {
    if (this.options.kind === 'web' && this.consent.set(value)) this.followConsent();
  }

  private get mayKeep(): boolean {
    return this.consent.current === 'granted' && !this.configError;
  }

  private get collects(): boolean {
    return this.mayKeep && this.config.analytics?.enabled !== false;
  }

  private followConsent(): void {
    const { anonymous } = this.person;
    switch (this.consent.current) {
      case 'granted':
        // A stored id is adopted for product events; a run in progress keeps the one it began with.
        anonymous.persist();
        void this.cache.persist();
        if (this.collects) this.analytics.startLate();
        break;
      case 'denied':
        this.analytics.discard();
        this.delivery.product.clear('consent_denied');
        anonymous.forgetStored();
        void removeOwnKeys(this.platform, [this.device, this.tab], () => this.delivery.discardStored('consent_denied'));
        break;
      case 'pending':
        anonymous.forgetStored();
        this.followEnabled();
    }
    this.delivery.followPermission();
  }

  private followEnabled(): void {
    if (this.collects === this.analytics.isCollecting) return;
    if (this.collects) this.analytics.start();
    else this.analytics.stop();
  }

  // Events -------------------------------------------------------------------------------------------------

  /** The queue of flow events, for hosts that make some of their own. */
  get flowQueue(): EventQueue {
    return this.delivery.flow;
  }

  /** Records a custom product event for the reports. */
  logEvent(name: string, properties?: EventProperties, at: number = this.platform.now()): void {
    this.names.note(name, 'logEvent');
    this.whenReady(() => this.analytics.logEvent(name, properties, at));
  }

  screen(name: string, properties?: EventProperties, at: number = this.platform.now()): void {
    this.whenReady(() => this.analytics.screen(name, properties, at));
  }

  /** Records a view of the current page. */
  pageView(): void {
    const page = this.options.page?.current();
    if (page) this.analytics.pageView(pageName(page));
  }

  /** Sends an event that may start automations. It is no product event and not in the reports. */
  track(name: string, properties?: EventProperties, at: number = this.platform.now()): void {
    this.names.note(name, 'track');
    this.whenReady(() => recordTrack(this, this.delivery.track, this.person.identity(), name, properties, at));
  }

  // Flows --------------------------------------------------------------------------------------------------

  /** What memory holds for a channel and this person. */
  peek(channelId: string): ResolvedFlow | undefined {
    return this.configError ? undefined : this.resolver.peek(channelId.trim(), this.person.subject());
  }

  /**
   * Resolves a channel for the person of now. A failure reaches `onError` as well, and the console of development
   * builds.
   *
   * @throws SvcConfigError, SvcChannelRequiredError, SvcApiError, SvcNetworkError
   */
  resolve(channelId: string): Promise<ResolveResult> {
    return this.loaded(channelId, async () => {
      if (!this.isReady) await this.ready;
      const { loadTimeoutMs, loading } = this.config;
      const { bundled } = this.options;
      return this.resolver.resolve(channelId, this.person.subject(), { loadTimeoutMs, loading, bundled });
    });
  }

  /**
   * Asks for what a preview link shows: a draft, or a version that no channel serves yet. Failures as in `resolve`.
   *
   * @param token the value of `svc.preview` in the link
   * @throws SvcConfigError, SvcApiError, SvcNetworkError
   */
  resolvePreview(token: string): Promise<ResolvedFlow> {
    return this.loaded('', () => this.resolver.preview(token, this.config.loadTimeoutMs));
  }

  /** What was asked for, or its failure, which the host hears of. That the config can't work is reported once for all. */
  private async loaded<T>(channelId: string, ask: () => Promise<T>): Promise<T> {
    if (this.configError) throw this.configError;
    try {
      return await ask();
    } catch (error) {
      this.host.reportLoadFailure(channelId, error);
      throw error;
    }
  }

  /**
   * Records that a person saw what a channel serves without running its flow: the start of a run, which is what the
   * results of experiments count as exposure (wire.md §6.3).
   */
  recordExposure(flow: ResolvedFlow, channelId: string, appUserId?: string): void {
    if (this.configError) return;
    this.runs.recordExposure(flow, channelId, appUserId);
  }

  async prefetch(channelId: string): Promise<void> {
    if (this.configError) return;
    if (!this.isReady) await this.ready;
    return this.resolver.prefetch(channelId, this.person.subject());
  }

  async prefetchAll(): Promise<void> {
    if (this.configError) return;
    if (!this.isReady) await this.ready;
    return this.resolver.prefetchAll(this.person.subject());
  }

  /**
   * Web: what the address and the referrer said when the page was loaded.
   *
   * @internal
   */
  get arrivalAttributes(): SdkAttributes {
    return this.webAttribution?.forRun() ?? {};
  }

  // Life ---------------------------------------------------------------------------------------------------

  /**
   * The provider is mounted, or mounted again after `close`: takes up undelivered events of earlier pages or
   * launches, and sends again where the service had asked to stop.
   */
  reopen(): void {
    if (this.configError) {
      if (this.configErrorReported) return;
      this.configErrorReported = true;
      const { field, message } = this.configError;
      this.host.report({ code: 'config_invalid', field, message });
      return;
    }
    this.closed = false;
    this.whenReady(() => {
      if (!this.closed) this.delivery.open();
    });
  }

  /** Sends everything once more and reports what could not be sent. Nothing is accepted until `reopen`. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    if (!this.isReady) {
      await this.ready;
      if (!this.closed) return;
    }
    this.analytics.endWait();
    await this.delivery.close();
  }

  /** Apps: begins a session at mount and on return to the foreground when none is on. */
  enterForeground(): void {
    const at = this.platform.now();
    if (this.options.kind === 'app') this.whenReady(() => this.analytics.ensureSession(at));
  }

  /** Apps: sends what waits before the system stops the process. */
  enterBackground(): void {
    this.whenReady(() => {
      this.analytics.endWait();
      this.delivery.flush();
    });
  }

  /** Web: the page is hidden or goes away. */
  leavePage(): void {
    this.analytics.endWait();
    this.delivery.leavePage();
  }
}

/**
 * A config as text: equal texts mean that nothing changed. The fetcher is left out, hosts make it anew each render, and
 * so is an app's `attribution`, which its host looks after.
 */
function comparable(config: SvcConfig & { attribution?: unknown }): string {
  const { fetcher: _, attribution: __, ...values } = config;
  return canonicalJson(values);
}

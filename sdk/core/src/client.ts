import { ConsentState } from './analytics/consent';
import { AnonymousId } from './analytics/identity';
import { cleanEventName, cleanProperties, type EventProperties } from './analytics/limits';
import { ProductAnalytics, type ProductEvent } from './analytics/product';
import { SessionStore } from './analytics/session';
import { NO_ATTRIBUTION, type SessionAttribution, WebSessionAttribution } from './analytics/session-attribution';
import { CHECKOUT_RESUME_KEY, isOwnKey } from './analytics/storage-keys';
import { pageName } from './analytics/web-attribution';
import { CheckoutAttempts } from './api/checkout';
import { type ApiConnection, apiError, send } from './api/http';
import type { IdentifyInput, IdentifyResult } from './api/identify';
import { ResolveCache } from './api/resolve-cache';
import { type ResolveResult, Resolver, type ResolveSubject } from './api/resolver';
import type { Identity, ResolvedFlow } from './api/types';
import { type AnalyticsConsent, findConfigError, resolveApiBaseUrl, type SvcConfig, type SvcPlatform } from './config';
import { SvcApiError, type SvcConfigError, SvcError } from './errors';
import { flushOnHide } from './events/page-hide';
import { createSendGate, EventQueue, type SendGate } from './events/queue';
import type { EventPath, LoadFailure, SvcErrorReport } from './events/report';
import { canonicalJson } from './flow/digest';
import { normalizeLocale } from './flow/locale';
import { startFlow } from './flow/machine';
import type { SdkAttributes } from './flow/responses';
import { type FlowState, initFlowState } from './flow/state';
import { uuidV4, uuidV7 } from './host/ids';
import { createLogger, type SdkLogger, type SdkLogLevel } from './host/log';
import { createMemoryStore, createSafeStore } from './host/memory-store';
import type { AsyncKeyValueStore, KeyValueStore, ParsedUrl, Platform } from './host/platform';
import { buildFlowEvent, configContext } from './run/build-event';
import { type FlowEvent, type FlowEventContext, type FlowEventInput, isTerminalFlowEvent } from './run/flow-event';
import { FlowRun, type FlowRunOptions, type RunPlace } from './run/flow-run';

/** An event as `onEvent` receives it. */
export type SvcEvent =
  | { path: 'flow'; event: FlowEvent }
  | { path: 'product'; event: ProductEvent }
  | { path: 'track'; event: TrackEvent };
export interface TrackEvent {
  eventId: string;
  name: string;
  timestamp: string;
  identity: Identity;
  context: FlowEventContext;
  properties?: EventProperties;
}

export interface SvcClientOptions {
  platform: Platform;
  config: SvcConfig;
  /** `web` waits for consent and counts pages; `app` collects at once and counts screens. */
  kind: 'web' | 'app';
  /** The operating system in apps; what the config says wins. */
  defaultPlatform: SvcPlatform;
  logLevel?: SdkLogLevel;
  /** Attribution of sessions in apps. */
  attribution?: SessionAttribution;
  /** Web: the page of now, and the referrer of the document. */
  page?: { current(): ParsedUrl | null; referrer: ParsedUrl | null };
  /** What the device is, where the host knows it better than the service's reading of the user agent. */
  deviceContext?: { browser?: string; os?: string; device?: string; locale?: string };
  /**
   * Resolves, and never rejects, when `platform.storage` may be read. Until then nobody's id is known: calls are
   * kept and flows wait. Default: at once.
   */
  ready?: Promise<void>;
  /** Whole resolve answers by channel, shipped with the app. */
  bundled?: Readonly<Record<string, ResolvedFlow>>;
  /** What `setAnalyticsConsent` was called with before the client existed. */
  earlierConsent?: AnalyticsConsent;
  onError?: (report: SvcErrorReport) => void;
  onEvent?: (event: SvcEvent) => void;
}

/** What a host wants from a run, beside its flow. */
export type RunCallbacks = Pick<FlowRunOptions, 'onFlowCompleted' | 'onFlowAbandoned' | 'onStep' | 'terminalPayload'>;

/**
 * Everything behind a provider: identity, consent, cache, queues, analytics. One exists per mounted provider and
 * nothing in it is global, so that two server renders share nothing.
 */
export class SvcClient {
  readonly logger: SdkLogger;
  readonly analytics: ProductAnalytics;
  readonly checkout: CheckoutAttempts;
  readonly flowQueue: EventQueue;
  readonly productQueue: EventQueue;
  readonly trackQueue: EventQueue;
  readonly resolver: Resolver;
  readonly cache: ResolveCache;
  private readonly platform: Platform;
  private readonly gate: SendGate = createSendGate();
  private readonly connection: ApiConnection;
  private readonly device: KeyValueStore;
  private readonly tab: KeyValueStore;
  private readonly anonymous: AnonymousId;
  private readonly consent: ConsentState;
  private readonly webAttribution: WebSessionAttribution | null;
  private readonly personListeners = new Set<() => void>();
  private readonly attributeListeners = new Set<() => void>();
  private config: SvcConfig;
  private configText: string;
  /** What was set by a call; undefined means that the config decides, null that there is none. */
  private customUserId: string | null | undefined;
  private closed = false;
  /**
   * Why the config of a production build cannot work; null when it can. Such a client does nothing and says so once
   * through `onError`, when its provider is mounted.
   */
  private invalid: SvcConfigError | null;
  private invalidReported = false;
  /** Failures of loads that the console has had: one line for each channel and reason. */
  private readonly printed = new Set<string>();
  /** Calls from before the store could be read, with the person's id of then; null from there on. */
  private early: { call: () => void; customUserId: string | null | undefined }[] | null = null;
  /** Resolves when flows can be resolved and events recorded. */
  readonly ready: Promise<void>;

  /** @throws SvcConfigError in development builds, when the config cannot work */
  constructor(private readonly options: SvcClientOptions) {
    const { platform, kind } = options;
    const config: SvcConfig = options.config ?? { publishableKey: '' };
    this.invalid = findConfigError(options.config);
    if (this.invalid && platform.developmentBuild) throw this.invalid;
    this.platform = platform;
    this.config = config;
    this.configText = comparable(config);
    this.logger = createLogger(platform, options.logLevel);
    this.device = createSafeStore(platform.storage);
    this.tab = createSafeStore(platform.sessionStorage ?? createMemoryStore());
    this.consent = new ConsentState(kind === 'web' ? config.analytics?.consent : 'granted', options.earlierConsent);
    this.connection = {
      baseUrl: this.invalid ? '' : resolveApiBaseUrl(config),
      publishableKey: config.publishableKey,
      fetcher: (url, init) => (this.config.fetcher ?? platform.fetch)(url, init),
    };
    this.anonymous = new AnonymousId(platform, this.device, this.mayKeep);
    this.cache = new ResolveCache(() => (this.mayKeep ? this.cacheStore : null));
    this.resolver = new Resolver(platform, this.connection, this.cache, this.logger);
    this.checkout = new CheckoutAttempts(platform, this.connection);
    this.flowQueue = this.queue('flow', '/v1/sdk/events');
    this.productQueue = this.queue('product', '/v1/sdk/analytics/events');
    this.trackQueue = this.queue('track', '/v1/sdk/track');
    this.webAttribution = options.page
      ? new WebSessionAttribution(this.tab, this.device, options.page.current, options.page.referrer)
      : null;
    this.analytics = new ProductAnalytics({
      platform,
      queue: this.productQueue,
      sessions: new SessionStore(platform, this.device),
      attribution: options.attribution ?? this.webAttribution ?? NO_ATTRIBUTION,
      firstEvent: kind === 'web' ? 'first_visit' : 'first_open',
      identity: () => this.person(),
      context: () => ({ ...options.deviceContext, ...this.deviceContext() }),
      logger: this.logger,
      onEvent: (event) => this.tell({ path: 'product', event }),
      onInvalid: (eventId, name) => this.reportInvalid('product', eventId, name),
    });
    this.gate.stopped = this.invalid !== null;
    if (this.collects) this.analytics.start();
    options.attribution?.onChange?.(() => this.announceAttributes());
    this.ready = options.ready ? this.awaitStore(options.ready) : Promise.resolve();
  }

  /** Whether the store can be read; `ready` resolves when it can. */
  get isReady(): boolean {
    return this.early === null;
  }

  private async awaitStore(store: Promise<void>): Promise<void> {
    this.early = [];
    await store;
    const calls = this.early;
    this.early = null;
    const { customUserId } = this;
    for (const kept of calls) {
      this.customUserId = kept.customUserId;
      try {
        kept.call();
      } catch (error) {
        // A listener of the host threw; the other calls are none the worse for it.
        this.logger.debug('a kept call failed', error);
      }
    }
    this.customUserId = customUserId;
  }

  private whenReady(call: () => void): void {
    if (this.invalid) return;
    if (this.early) this.early.push({ call, customUserId: this.customUserId });
    else call();
  }

  // Configuration and person -------------------------------------------------------------------------------

  get currentConfig(): SvcConfig {
    return this.config;
  }

  /** Why this client does nothing; null when its config works. */
  get configError(): SvcConfigError | null {
    return this.invalid;
  }

  /** Whether a config asks the same service as the same app; otherwise a new client is needed. */
  servesConfig(config: SvcConfig): boolean {
    const error = findConfigError(config);
    if (error || this.invalid) return error?.message === this.invalid?.message;
    return (
      config.publishableKey === this.connection.publishableKey && resolveApiBaseUrl(config) === this.connection.baseUrl
    );
  }

  /**
   * Takes the config of a later render. Equal by value means nothing happens. A new `userId` ends the product
   * session and makes flows resolve again; a new `customUserId` is on later events.
   */
  updateConfig(config: SvcConfig): void {
    if (this.invalid) return;
    const text = comparable(config);
    const before = this.config;
    this.config = config;
    if (text === this.configText) return;
    this.configText = text;
    if (config.customUserId !== before.customUserId) this.customUserId = undefined;
    if (this.options.kind === 'web' && this.consent.applyConfig(config.analytics?.consent)) this.followConsent();
    else this.followEnabled();
    if (config.userId !== before.userId) {
      this.whenReady(() => this.analytics.endSession());
      this.announcePerson();
    }
    if (canonicalJson(config.sdkAttributes ?? {}) !== canonicalJson(before.sdkAttributes ?? {}))
      this.announceAttributes();
  }

  /** The id that flows and events go by: the host's, else the anonymous one of this device. */
  get appUserId(): string {
    return this.config.userId?.trim() || this.anonymous.get();
  }

  get currentCustomUserId(): string | undefined {
    const id = this.customUserId === undefined ? this.config.customUserId : (this.customUserId ?? undefined);
    return id || undefined;
  }

  /** Sets the person's id in the host's system for later events; null or blank takes it away. */
  setCustomUserId(id: string | null | undefined): void {
    this.customUserId = id?.trim() || null;
  }

  /** Starts over as somebody new: after a sign-out on a shared device. */
  reset(): void {
    this.customUserId = null;
    this.whenReady(() => {
      this.analytics.endSession();
      this.anonymous.reset();
      new SessionStore(this.platform, this.device).forgetFirst();
      this.announcePerson();
    });
  }

  /** Calls back when another person uses the device: runs are abandoned and flows resolved again. */
  onPersonChange(listener: () => void): () => void {
    this.personListeners.add(listener);
    return () => void this.personListeners.delete(listener);
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
    return this.consent.current === 'granted';
  }

  private get collects(): boolean {
    return this.mayKeep && !this.invalid && this.config.analytics?.enabled !== false;
  }

  private followConsent(): void {
    switch (this.consent.current) {
      case 'granted':
        // A stored id is adopted for product events; a run in progress keeps the one it began with.
        this.anonymous.persist();
        void this.cache.persist();
        if (this.collects) this.analytics.startLate();
        break;
      case 'denied':
        this.analytics.discard();
        this.productQueue.clear('consent_denied');
        this.anonymous.forgetStored();
        this.removeOwnKeys();
        break;
      case 'pending':
        this.anonymous.forgetStored();
        this.followEnabled();
    }
  }

  private followEnabled(): void {
    if (this.collects === this.analytics.isCollecting) return;
    if (this.collects) this.analytics.start();
    else this.analytics.stop();
  }

  private removeOwnKeys(): void {
    for (const store of [this.device, this.tab]) {
      for (const key of store.keys()) {
        if (isOwnKey(key) && key !== CHECKOUT_RESUME_KEY) store.removeItem(key);
      }
    }
    void this.removeCached();
  }

  private async removeCached(): Promise<void> {
    const store = this.platform.cacheStorage;
    if (!store) return;
    try {
      for (const key of await store.keys()) if (isOwnKey(key)) await store.removeItem(key);
    } catch {
      // A store that cannot be listed or changed kept nothing that could be removed.
    }
  }

  // Product events -----------------------------------------------------------------------------------------

  logEvent(name: string, properties?: EventProperties, at: number = this.platform.now()): void {
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

  /** Apps: begins a session at mount and on return to the foreground when none is on. */
  enterForeground(): void {
    const at = this.platform.now();
    if (this.options.kind === 'app') this.whenReady(() => this.analytics.ensureSession(at));
  }

  /** Apps: sends what waits before the system stops the process. */
  enterBackground(): void {
    this.whenReady(() => {
      this.analytics.endWait();
      for (const queue of this.queues) void queue.flush();
    });
  }

  /** Web: the page is hidden or goes away. */
  leavePage(): void {
    this.analytics.endWait();
    flushOnHide(this.queues, this.gate);
  }

  // Other calls --------------------------------------------------------------------------------------------

  /** Sends an event that may start automations. It is no product event and not in the reports. */
  track(name: string, properties?: EventProperties, at: number = this.platform.now()): void {
    this.whenReady(() => this.recordTrack(name, properties, at));
  }

  private recordTrack(name: string, properties: EventProperties | undefined, at: number): void {
    const clean = cleanEventName(name);
    const eventId = uuidV7(this.platform);
    if (clean === null) {
      this.reportInvalid('track', eventId, String(name));
      return;
    }
    const { properties: kept, problem } = cleanProperties(properties);
    if (problem) this.logger.debug(`${clean}: ${problem}`);
    const event: TrackEvent = {
      eventId,
      name: clean,
      timestamp: new Date(at).toISOString(),
      identity: this.identity(this.appUserId),
      context: this.deviceContext(),
      ...(kept ? { properties: kept } : {}),
    };
    this.trackQueue.enqueue(event);
    this.tell({ path: 'track', event });
  }

  /**
   * Tells the service who uses the device.
   *
   * @throws SvcApiError, SvcNetworkError
   */
  async identify(input: IdentifyInput): Promise<IdentifyResult> {
    if (this.invalid) throw this.invalid;
    if (!this.isReady) await this.ready;
    const body = JSON.stringify({ appUserId: this.appUserId, customUserId: this.currentCustomUserId, ...input });
    const response = await send(this.platform, this.connection, { path: '/v1/sdk/identify', body });
    if (response.status !== 200) throw apiError(response);
    const result = response.body as IdentifyResult | null | undefined;
    if (typeof result?.appUserId !== 'string')
      throw new SvcApiError(200, 'invalid_response', 'the answer has no appUserId');
    return result;
  }

  /** Links the person to an id of a billing provider. Fire and forget. */
  setBillingIdentity(provider: 'revenuecat' | 'superwall', externalId: string): void {
    this.whenReady(() => this.sendBillingIdentity(provider, externalId));
  }

  private sendBillingIdentity(provider: string, externalId: string): void {
    const body = JSON.stringify({ appUserId: this.appUserId, provider, externalId });
    send(this.platform, this.connection, { path: '/v1/sdk/billing-identities', body })
      .then((response) => {
        if (response.status >= 300) this.logger.warn('billing identity was refused', apiError(response).message);
      })
      .catch((error: unknown) => this.logger.warn('billing identity could not be sent', error));
  }

  // Flows --------------------------------------------------------------------------------------------------

  private subject(): ResolveSubject {
    const { locale, appVersion } = this.config;
    return {
      identity: this.identity(this.appUserId),
      ...(locale ? { locale: normalizeLocale(locale) } : {}),
      platform: this.operatingSystem,
      ...(appVersion ? { appVersion } : {}),
    };
  }

  /** What memory holds for a channel and this person. */
  peek(channelId: string): ResolvedFlow | undefined {
    return this.invalid ? undefined : this.resolver.peek(channelId.trim(), this.subject());
  }

  /**
   * Resolves a channel for the person of now. A failure reaches `onError` as well, and the console of development
   * builds.
   *
   * @throws SvcConfigError, SvcChannelRequiredError, SvcApiError, SvcNetworkError
   */
  async resolve(channelId: string): Promise<ResolveResult> {
    try {
      if (this.invalid) throw this.invalid;
      if (!this.isReady) await this.ready;
      const { loadTimeoutMs, loading } = this.config;
      return await this.resolver.resolve(channelId, this.subject(), {
        ...(loadTimeoutMs ? { loadTimeoutMs } : {}),
        ...(loading ? { loading } : {}),
        ...(this.options.bundled ? { bundled: this.options.bundled } : {}),
      });
    } catch (error) {
      this.reportLoadFailure(channelId, error);
      throw error;
    }
  }

  private reportLoadFailure(channelId: string, error: unknown): void {
    // A config that cannot work was reported once for all channels.
    if (error === this.invalid) return;
    const failure = loadFailure(channelId, error);
    this.report(failure);
    const line = `${failure.channelId} ${failure.reason}`;
    if (!this.platform.developmentBuild || this.printed.has(line)) return;
    this.printed.add(line);
    const { reason, status, message } = failure;
    this.platform.console.warn(
      `[svc] channel "${failure.channelId}" could not be loaded: ${reason}${status === null ? '' : ` (${status})`}`,
      message,
    );
  }

  async prefetch(channelId: string): Promise<void> {
    if (this.invalid) return;
    if (!this.isReady) await this.ready;
    return this.resolver.prefetch(channelId, this.subject());
  }

  async prefetchAll(): Promise<void> {
    if (this.invalid) return;
    if (!this.isReady) await this.ready;
    return this.resolver.prefetchAll(this.subject());
  }

  /** Attributes of runs of this flow: the host's, under what is known about the arrival. */
  runAttributes(flow: ResolvedFlow): SdkAttributes {
    const attribution: SessionAttribution | null = this.options.attribution ?? this.webAttribution;
    return { ...this.config.sdkAttributes, ...attribution?.forRun?.(flow) };
  }

  /** Web: what the address and the referrer said when the page was loaded. */
  get arrivalAttributes(): SdkAttributes {
    return this.webAttribution?.forRun() ?? {};
  }

  private runSession(flow: ResolvedFlow): FlowRunOptions['session'] {
    return {
      ...(this.config.locale ? { locale: normalizeLocale(this.config.locale) } : {}),
      platform: this.operatingSystem,
      sdkAttributes: this.runAttributes(flow),
    };
  }

  /**
   * Whether the person of now may take up a run of this id. An anonymous visitor whose id may not be kept has
   * another one after every load, so the tab that holds the run has to be proof enough.
   */
  maySucceed(appUserId: string): boolean {
    return appUserId === this.appUserId || (!this.config.userId && !this.mayKeep);
  }

  /** The state a run of this flow begins with, without beginning one: what a server renders. */
  previewState(flow: ResolvedFlow): FlowState {
    return startFlow(initFlowState(flow.manifest, this.runSession(flow)));
  }

  /** Makes a run for the person of now. It keeps their id to its end, whoever comes next. */
  createRun(
    flow: ResolvedFlow,
    channelId: string,
    callbacks: RunCallbacks = {},
    resumed?: { state: FlowState; appUserId: string; place?: RunPlace },
  ): FlowRun {
    const owner = resumed?.appUserId ?? this.appUserId;
    return new FlowRun({
      ...callbacks,
      flow,
      channelId: channelId.trim(),
      session: this.runSession(flow),
      runId: uuidV4(this.platform),
      ...(resumed ? { resumeFrom: resumed } : {}),
      now: () => this.platform.now(),
      emit: (event) => this.emitFlowEvent(flow, channelId.trim(), owner, event),
      subject: () => this.identity(owner),
      context: () => this.deviceContext(),
      onFault: (fault) => {
        const message = `the flow ended early at ${fault.nodeId}`;
        this.report({ code: 'flow_error', reason: fault.kind, message });
      },
    });
  }

  private emitFlowEvent(flow: ResolvedFlow, channelId: string, owner: string, input: FlowEventInput): void {
    const source = { identity: this.identity(owner), context: this.deviceContext() };
    const event = buildFlowEvent(this.platform, input, flow, source);
    this.flowQueue.enqueue(event, { channelId, terminal: isTerminalFlowEvent(input.name) });
    this.tell({ path: 'flow', event });
  }

  // Life ---------------------------------------------------------------------------------------------------

  /** Sends everything once more and reports what could not be sent. Nothing is accepted until `reopen`. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    if (!this.isReady) {
      await this.ready;
      if (!this.closed) return;
    }
    this.analytics.endWait();
    await Promise.all(this.queues.map((queue) => queue.shutdown()));
  }

  /** Goes on after `close`, also where the service had asked to stop: the provider is mounted again. */
  reopen(): void {
    if (this.invalid && !this.invalidReported) {
      this.invalidReported = true;
      const { field, message } = this.invalid;
      this.report({ code: 'config_invalid', field, message });
    }
    if (!this.closed) return;
    this.closed = false;
    this.gate.stopped = this.invalid !== null;
    for (const queue of this.queues) queue.reopen();
  }

  private get queues(): EventQueue[] {
    return [this.flowQueue, this.productQueue, this.trackQueue];
  }

  private get cacheStore(): AsyncKeyValueStore {
    return this.platform.cacheStorage ?? this.platform.storage;
  }

  /** What runs and events name as their platform. */
  get operatingSystem(): SvcPlatform {
    return this.config.platform ?? this.options.defaultPlatform;
  }

  private person(): Omit<Identity, 'sessionId'> {
    const customUserId = this.currentCustomUserId;
    return { appUserId: this.appUserId, ...(customUserId ? { customUserId } : {}) };
  }

  private identity(appUserId: string): Identity {
    const { sessionId } = this.config;
    return { ...this.person(), appUserId, ...(sessionId ? { sessionId } : {}) };
  }

  private deviceContext(): FlowEventContext & { platform: SvcPlatform } {
    return { ...configContext(this.config), platform: this.operatingSystem };
  }

  private queue(path: EventPath, url: string): EventQueue {
    const { platform, connection, gate, logger } = this;
    return new EventQueue({ platform, connection, path, url, gate, logger, onError: (report) => this.report(report) });
  }

  private report(report: SvcErrorReport): void {
    this.guard(() => this.options.onError?.(report));
  }

  private tell(event: SvcEvent): void {
    this.guard(() => this.options.onEvent?.(event));
  }

  /** Calls the host. What it throws must not stop the delivery of events half-way. */
  guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      if (this.platform.developmentBuild) this.platform.console.warn('[svc] a callback of the app threw', error);
    }
  }

  private reportInvalid(path: EventPath, eventId: string, name: string): void {
    this.report({ code: 'event_dropped', path, eventId, name, reason: 'invalid_name' });
  }

  private announcePerson(): void {
    for (const listener of [...this.personListeners]) listener();
  }

  /** Calls back when the host's attributes change during a run. */
  onAttributesChange(listener: () => void): () => void {
    this.attributeListeners.add(listener);
    return () => void this.attributeListeners.delete(listener);
  }

  private announceAttributes(): void {
    for (const listener of [...this.attributeListeners]) listener();
  }
}

/** A failed load as reports have it. */
export function loadFailure(channelId: unknown, error: unknown): LoadFailure {
  const known = error instanceof SvcError ? error : null;
  return {
    code: 'load_failed',
    reason: known?.code ?? 'unknown',
    status: error instanceof SvcApiError ? error.status : null,
    channelId: typeof channelId === 'string' ? channelId.trim() : '',
    retryable: known?.retryable ?? true,
    message: error instanceof Error ? error.message : String(error),
  };
}

/**
 * A config as text: equal texts mean that nothing changed. The fetcher is left out, hosts make it anew each render, and
 * so is an app's `attribution`, which its host looks after.
 */
function comparable(config: SvcConfig & { attribution?: unknown }): string {
  const { fetcher: _, attribution: __, ...values } = config;
  return canonicalJson(values);
}

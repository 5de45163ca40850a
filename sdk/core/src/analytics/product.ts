import type { Identity } from '../api/types';
import type { EventQueue } from '../events/queue';
import { uuidV7 } from '../host/ids';
import type { SdkLogger } from '../host/log';
import type { Platform } from '../host/platform';
import type { AttributionAttributes } from './attribution-keys';
import { cleanEventName, cleanProperties, cleanViewName, type EventProperties } from './limits';
import type { SessionStore } from './session';
import type { SessionAttribution } from './session-attribution';

/** The first events of a session wait this long for attribution, at most. */
export const ATTRIBUTION_WAIT_MS = 3_000;

/** Context of product events (wire.md §2.2). */
export interface ProductContext {
  platform: string;
  appVersion?: string;
  locale?: string;
  browser?: string;
  os?: string;
  device?: string;
}
export interface ProductEvent {
  eventId: string;
  name: string;
  /** ISO 8601. */
  timestamp: string;
  screenName?: string;
  identity: Identity;
  context: ProductContext & { attribution?: AttributionAttributes };
  properties?: EventProperties;
}
export interface ProductAnalyticsOptions {
  platform: Platform;
  queue: EventQueue;
  sessions: SessionStore;
  attribution: SessionAttribution;
  /** The once-per-person event: `first_visit` on web, `first_open` in apps. */
  firstEvent: 'first_visit' | 'first_open';
  /** Device id and the host's id of the person, as of now. */
  identity(): Omit<Identity, 'sessionId'>;
  context(): ProductContext;
  logger: SdkLogger;
  onEvent?(event: ProductEvent): void;
  /** A name that cannot be sent. */
  onInvalid?(eventId: string, name: string): void;
}

interface Waiting {
  sessionId: string;
  events: ProductEvent[];
  timer: unknown;
}

/**
 * Records sessions, views and custom events. It does nothing until `start`, and what is recorded before is gone:
 * consent never looks back (interface.md §3.1).
 */
export class ProductAnalytics {
  private collecting = false;
  private lastView: string | null = null;
  /** Frozen snapshot of the session, once it is known. */
  private snapshot: { sessionId: string; attributes: AttributionAttributes } | null = null;
  private waiting: Waiting | null = null;

  constructor(private readonly options: ProductAnalyticsOptions) {}

  get isCollecting(): boolean {
    return this.collecting;
  }

  start(): void {
    this.collecting = true;
  }

  /**
   * Starts recording in the middle of a visit: a grant that came late. The session begins now; the page that the
   * visitor is on was opened before and is not counted.
   */
  startLate(): void {
    this.collecting = true;
    const view = this.lastView;
    this.session(this.options.platform.now());
    this.lastView = view;
  }

  /** Stops recording. Events that wait for attribution are sent unless the queue is cleared as well. */
  stop(): void {
    this.endWait();
    this.collecting = false;
    this.snapshot = null;
  }

  /** Stops recording and forgets what waits for attribution: a denial. */
  discard(): void {
    if (this.waiting) this.options.platform.clearTimeout(this.waiting.timer);
    this.waiting = null;
    this.stop();
  }

  /** Begins a session when none is on: at mount and on return to the foreground in apps, at a late grant on web. */
  ensureSession(at: number = this.options.platform.now()): void {
    if (this.collecting) this.session(at);
  }

  /** Ends the session, so that the next event begins another: another person uses the device now. */
  endSession(): void {
    this.endWait();
    this.options.sessions.end();
    this.lastView = null;
    this.snapshot = null;
  }

  /** Records a custom event. A blank or too long name is dropped, too large properties are left out. */
  logEvent(name: string, properties?: EventProperties, at?: number): void {
    const clean = cleanEventName(name);
    if (clean === null) {
      if (!this.collecting) return;
      this.options.logger.debug(`event names have 1 to 120 characters, none of control: ${JSON.stringify(name)}`);
      this.options.onInvalid?.(uuidV7(this.options.platform), String(name));
      return;
    }
    this.record(clean, { properties, at });
  }

  /** Records a `screen_view`. The same name twice in a row counts once. */
  screen(name: string, properties?: EventProperties, at?: number): void {
    this.view('screen_view', name, properties, at);
  }

  /** Records a `page_view`. The same page twice in a row counts once. */
  pageView(page: string, at?: number): void {
    this.view('page_view', page, undefined, at);
  }

  /** Ends the wait for attribution: the app goes to the background or the page goes away. */
  endWait(): void {
    if (this.waiting) this.giveUp(this.waiting);
  }

  private view(kind: 'page_view' | 'screen_view', name: string, properties?: EventProperties, at?: number): void {
    const clean = cleanViewName(name);
    if (clean === null) return;
    const view = `${kind}:${clean}`;
    if (!this.collecting) {
      this.lastView = view;
      return;
    }
    // The session comes first: a new one makes the same view count again.
    const time = at ?? this.options.platform.now();
    this.session(time);
    if (view === this.lastView) return;
    this.lastView = view;
    this.record(kind, { screenName: clean, properties, at: time });
  }

  private record(name: string, input: { screenName?: string; properties?: EventProperties; at?: number }): void {
    if (!this.collecting) return;
    const at = input.at ?? this.options.platform.now();
    const sessionId = this.session(at);
    this.options.sessions.touch(at);
    const { properties, problem } = cleanProperties(input.properties);
    if (problem) this.options.logger.debug(`${name}: ${problem}`);
    const extra = {
      ...(input.screenName ? { screenName: input.screenName } : {}),
      ...(properties ? { properties } : {}),
    };
    this.emit(sessionId, name, at, extra);
  }

  /** The session at this time, begun with its first events when there is none. */
  private session(at: number): string {
    const { sessions, platform, attribution, firstEvent } = this.options;
    const current = sessions.current(at);
    if (current) {
      if (this.snapshot?.sessionId !== current && this.waiting?.sessionId !== current) {
        this.snapshot = { sessionId: current, attributes: attribution.restore(current) ?? {} };
      }
      return current;
    }
    this.endWait();
    this.lastView = null;
    this.snapshot = null;
    const sessionId = sessions.start(at);
    const found = attribution.begin(sessionId);
    if (found instanceof Promise) {
      const waiting: Waiting = { sessionId, events: [], timer: null };
      waiting.timer = platform.setTimeout(() => this.giveUp(waiting), ATTRIBUTION_WAIT_MS);
      this.waiting = waiting;
      found.then(
        (attributes) => this.settle(waiting, attributes),
        () => this.giveUp(waiting),
      );
    } else this.snapshot = { sessionId, attributes: found };
    this.emit(sessionId, 'session_start', at, {});
    if (sessions.claimFirst()) this.emit(sessionId, firstEvent, at, {});
    return sessionId;
  }

  private emit(
    sessionId: string,
    name: string,
    at: number,
    extra: { screenName?: string; properties?: EventProperties },
  ): void {
    const { platform, identity, context } = this.options;
    const event: ProductEvent = {
      eventId: uuidV7(platform),
      name,
      timestamp: new Date(at).toISOString(),
      identity: { ...identity(), sessionId },
      context: { ...context() },
      // Written out and read back, so that the host cannot change it while it waits for attribution.
      ...(JSON.parse(JSON.stringify(extra)) as typeof extra),
    };
    if (this.waiting?.sessionId === sessionId) this.waiting.events.push(event);
    else this.enqueue(event, this.snapshot?.sessionId === sessionId ? this.snapshot.attributes : {});
  }

  private giveUp(waiting: Waiting): void {
    if (this.waiting === waiting) this.settle(waiting, this.options.attribution.giveUp?.(waiting.sessionId) ?? {});
  }

  private settle(waiting: Waiting, attributes: AttributionAttributes): void {
    if (this.waiting !== waiting) return;
    this.options.platform.clearTimeout(waiting.timer);
    this.waiting = null;
    this.snapshot = { sessionId: waiting.sessionId, attributes };
    for (const event of waiting.events) this.enqueue(event, attributes);
  }

  private enqueue(event: ProductEvent, attributes: AttributionAttributes): void {
    if (Object.keys(attributes).length > 0) event.context.attribution = attributes;
    this.options.queue.enqueue(event);
    this.options.onEvent?.(event);
  }
}

import type { AttributionAttributes } from '../../core/src/analytics/attribution-keys';
import { type EventProperties, MAX_EVENT_NAME_LENGTH, MAX_VIEW_NAME_LENGTH } from '../../core/src/analytics/limits';
import type { ProductEvent } from '../../core/src/analytics/product';
import { readablePath } from '../../core/src/analytics/readable-path';
import type { SessionStore } from '../../core/src/analytics/session';
import type { WebSessionAttribution } from '../../core/src/analytics/session-attribution';
import { uuidV7 } from '../../core/src/host/ids';
import { platform } from './platform';

/**
 * Sessions, pages and events by the rules of the SDK's `ProductAnalytics`, in less code: on a page attribution is known
 * at once, and the server says what is wrong with an event. A test compares the two.
 */
export class Visits {
  private collecting = false;
  private lastView: string | undefined;
  private attribution: AttributionAttributes = {};
  private session: string | null = null;

  constructor(
    private readonly sessions: SessionStore,
    private readonly arrival: WebSessionAttribution,
    private readonly identity: () => { appUserId: string; customUserId?: string },
    private readonly send: (event: ProductEvent) => void,
  ) {}

  start(): void {
    this.collecting = true;
  }

  /** Begins in the middle of a visit: a consent that came late. The page that is open already is not counted. */
  startLate(): void {
    const view = this.lastView;
    this.collecting = true;
    this.sessionAt(platform.now());
    this.lastView = view;
  }

  stop(): void {
    this.collecting = false;
    this.session = null;
  }

  /** Another person uses the browser from now on. */
  endSession(): void {
    this.sessions.end();
    this.session = null;
    this.lastView = undefined;
  }

  /** Records a page; the same one twice in a row counts once. */
  page(name: string): void {
    const screenName = readablePath(name.trim(), MAX_VIEW_NAME_LENGTH);
    if (screenName === '') return;
    const at = platform.now();
    // The session comes first: a new one makes the same page count again.
    if (this.collecting) this.sessionAt(at);
    if (screenName === this.lastView) return;
    this.lastView = screenName;
    this.record('page_view', at, { screenName });
  }

  /** Records an event of the page's own. */
  event(name: string, properties?: EventProperties): void {
    const clean = String(name).trim();
    if (clean === '' || clean.length > MAX_EVENT_NAME_LENGTH)
      console.warn(`svc.js: the name of an event has 1 to ${MAX_EVENT_NAME_LENGTH} characters`);
    else this.record(clean, platform.now(), properties ? { properties } : {});
  }

  private record(name: string, at: number, extra: Pick<ProductEvent, 'screenName' | 'properties'>): void {
    if (!this.collecting) return;
    const session = this.sessionAt(at);
    this.sessions.touch(at);
    this.emit(session, name, at, extra);
  }

  /** The session at this time, begun with its first events when there is none. */
  private sessionAt(at: number): string {
    const { sessions } = this;
    const current = sessions.current(at);
    if (current) {
      if (this.session !== current) this.attribution = this.arrival.restore(current) ?? {};
      this.session = current;
      return current;
    }
    this.lastView = undefined;
    const session = sessions.start(at);
    this.session = session;
    this.attribution = this.arrival.begin(session);
    this.emit(session, 'session_start', at, {});
    if (sessions.claimFirst()) this.emit(session, 'first_visit', at, {});
    return session;
  }

  private emit(
    sessionId: string,
    name: string,
    at: number,
    extra: Pick<ProductEvent, 'screenName' | 'properties'>,
  ): void {
    const { attribution } = this;
    this.send({
      eventId: uuidV7(platform),
      name,
      timestamp: new Date(at).toISOString(),
      identity: { ...this.identity(), sessionId },
      context: {
        platform: 'web',
        locale: navigator.language,
        ...(Object.keys(attribution).length > 0 ? { attribution } : {}),
      },
      ...extra,
    });
  }
}

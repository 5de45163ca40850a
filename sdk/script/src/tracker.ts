import { AnonymousId } from '../../core/src/analytics/identity';
import type { EventProperties } from '../../core/src/analytics/limits';
import { SessionStore } from '../../core/src/analytics/session';
import { WebSessionAttribution } from '../../core/src/analytics/session-attribution';
import { isOwnKey } from '../../core/src/analytics/storage-keys';
import { pageName } from '../../core/src/analytics/web-attribution';
import type { Platform } from '../../core/src/host/platform';
import { isMissingPage, watchActions, watchEngagement } from './automatic';
import { defineFlow, type Shown, showFlow } from './flows';
import { device, parse, platform, tab } from './platform';
import { Sender } from './sender';
import { type Consent, isConsent, type Settings } from './settings';
import { Visits } from './visits';

/** Counts a page by the rules of the SDK, whose identity, session and attribution it shares. */
export class Tracker {
  private readonly sessions = new SessionStore(platform as Platform, device);
  private readonly person: AnonymousId;
  private readonly sender: Sender;
  private readonly visits: Visits;
  private customUserId: string | undefined;
  private consent: Consent;
  private shown = '';
  private endLook: (gone: boolean) => void = () => undefined;

  constructor(readonly settings: Settings) {
    const { server, key, consent } = settings;
    this.consent = consent;
    this.person = new AnonymousId(platform as Platform, device, consent === 'granted');
    this.sender = new Sender(device, `${server}/v1/sdk/analytics/events?key=${key}`);
    this.visits = new Visits(
      this.sessions,
      new WebSessionAttribution(tab, device, () => location, parse(document.referrer)),
      () => ({ appUserId: this.person.get(), ...(this.customUserId ? { customUserId: this.customUserId } : {}) }),
      (event) => this.sender.enqueue(event),
    );
  }

  /** Begins to count: this page, those that follow in the same document, and what happens on them. */
  start(): void {
    const { visits, settings } = this;
    const record = (name: string, properties?: EventProperties) => visits.event(name, properties);
    if (this.consent === 'granted') this.collect();
    this.view();
    if (settings.auto && isMissingPage()) record('page_not_found', { path: this.pageOfNow() });
    watchActions(record, settings.auto);
    if (settings.auto) this.endLook = watchEngagement(record);
    defineFlow(this);
    if (settings.flow) showFlow(this, settings.flow);
  }

  /** Follows the address of the page, which may be another one now. */
  follow(): void {
    if (this.pageOfNow() === this.shown) return;
    this.endLook(true);
    this.view();
  }

  /** Sends what there is: the page goes away, or is hidden. */
  leave(): void {
    this.endLook(false);
    this.sender.leave();
  }

  /** Does what a page asks for by `svc(command, …)`. */
  call(command: string, [first, second]: unknown[]): unknown {
    switch (command) {
      case 'event':
        return this.visits.event(first as string, second as EventProperties | undefined);
      case 'page':
        return first === undefined ? this.view() : this.visits.page(String(first));
      case 'consent':
        return this.obey(first);
      case 'user':
        this.customUserId = first ? String(first) : undefined;
        return undefined;
      case 'reset':
        return this.reset();
      case 'flow':
        return showFlow(this, String(first), second as Shown | undefined);
      default:
        return console.warn(`svc.js: there is no command ${command}`);
    }
  }

  /** What a flow that is shown here has of the person. */
  get shared(): { consent: Consent; customUserId: string | undefined } {
    return { consent: this.consent, customUserId: this.customUserId };
  }

  private collect(): void {
    this.visits.start();
    this.sender.adopt();
  }

  private obey(consent: unknown): void {
    if (!isConsent(consent)) {
      console.warn('svc.js: consent is granted, denied or pending');
      return;
    }
    if (consent === this.consent) return;
    this.consent = consent;
    if (consent === 'granted') {
      this.person.persist();
      this.sender.adopt();
      this.visits.startLate();
      return;
    }
    this.person.forgetStored();
    this.visits.stop();
    if (consent === 'pending') return;
    this.sender.clear();
    for (const store of [device, tab]) for (const key of store.keys()) if (isOwnKey(key)) store.removeItem(key);
  }

  private reset(): void {
    this.customUserId = undefined;
    this.visits.endSession();
    this.person.reset();
    this.sessions.forgetFirst();
  }

  private pageOfNow(): string {
    const { pathname, hash } = location;
    return pageName({ pathname, hash: this.settings.hash ? hash : '' });
  }

  private view(): void {
    this.shown = this.pageOfNow();
    this.visits.page(this.shown);
  }
}

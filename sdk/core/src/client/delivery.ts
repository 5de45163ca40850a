import type { ApiConnection } from '../api/http';
import { EventStore } from '../events/event-store';
import { flushOnHide } from '../events/page-hide';
import { EventQueue } from '../events/queue';
import { createSendGate, type SendGate } from '../events/queued-event';
import type { EventPath } from '../events/report';
import type { SdkLogger } from '../host/log';
import type { Platform } from '../host/platform';
import type { HostCallbacks } from './host-callbacks';

const URLS: Readonly<Record<EventPath, string>> = {
  flow: '/v1/sdk/events',
  product: '/v1/sdk/analytics/events',
  track: '/v1/sdk/track',
};

interface DeliveryOptions {
  platform: Platform;
  connection: ApiConnection;
  logger: SdkLogger;
  host: HostCallbacks;
  /** Whether copies of undelivered events may be kept on the device now. */
  mayKeep: () => boolean;
}

/** The queues of a client's three event paths, and the copies of what they hold that outlive the page or the app. */
export class EventDelivery {
  readonly flow: EventQueue;
  readonly product: EventQueue;
  readonly track: EventQueue;
  private readonly gate: SendGate = createSendGate();
  private readonly store: EventStore;
  private readonly queues: readonly EventQueue[];
  private keeping = false;
  private opened = false;

  constructor(private readonly options: DeliveryOptions) {
    const { platform, connection, mayKeep } = options;
    const scope = `${connection.baseUrl}:${connection.publishableKey}`;
    this.store = new EventStore(platform.cacheStorage ?? platform.storage, scope, mayKeep);
    this.flow = this.queue('flow');
    this.product = this.queue('product');
    this.track = this.queue('track');
    this.queues = [this.flow, this.product, this.track];
  }

  /** Sends nothing, whatever comes. */
  disable(): void {
    this.gate.stopped = true;
  }

  flush(): void {
    for (const queue of this.queues) void queue.flush();
  }

  /** The page goes away. */
  leavePage(): void {
    flushOnHide(this.queues, this.gate);
  }

  /** Takes up what earlier pages or launches left, and goes on after `close`, also where the service said stop. */
  open(): void {
    this.opened = true;
    this.gate.stopped = false;
    for (const queue of this.queues) queue.reopen();
    this.keeping = false;
    this.followPermission();
  }

  /** Sends everything once more. What fails stays on the device, or is reported. */
  async close(): Promise<void> {
    this.opened = false;
    await Promise.all(this.queues.map((queue) => queue.shutdown()));
  }

  /** Looks again whether copies may be kept. */
  followPermission(): void {
    const keeping = this.opened && this.options.mayKeep();
    if (keeping === this.keeping) return;
    this.keeping = keeping;
    if (keeping) {
      for (const queue of this.queues) queue.persist();
      void this.restore();
    } else this.forgetCopies();
  }

  /** Takes all copies off the device; what the queues hold is still delivered. */
  forgetCopies(): void {
    for (const queue of this.queues) queue.forgetCopies();
  }

  /** Drops what earlier pages or launches left on the device, and reports it. */
  async discardStored(reason: string): Promise<void> {
    for (const { path, eventId, name } of await this.store.load()) {
      this.store.remove(eventId);
      if (!this[path].holds(eventId)) this.options.host.report({ code: 'event_dropped', path, eventId, name, reason });
    }
  }

  private async restore(): Promise<void> {
    const stored = await this.store.load();
    // Somebody may have said no while the device was read.
    if (!this.keeping) return;
    for (const path of ['flow', 'product', 'track'] as const) {
      this[path].restore(stored.filter((event) => event.path === path));
    }
  }

  private queue(path: EventPath): EventQueue {
    const { platform, connection, logger, host } = this.options;
    const { gate, store } = this;
    const onError = host.report.bind(host);
    return new EventQueue({ platform, connection, path, url: URLS[path], gate, logger, store, onError });
  }
}

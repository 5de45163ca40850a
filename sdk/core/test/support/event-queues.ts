import { EventQueue } from '../../src/events/queue';
import { createSendGate } from '../../src/events/queued-event';
import { createLogger } from '../../src/host/log';
import type { SdkLogLevel, SvcErrorReport } from '../../src/index';
import { FakePlatform, type Reply, type SeenRequest } from './fake-platform';

export const ok: Reply = { status: 200, body: { accepted: true, stored: 1, duplicates: 0, rejected: [] } };

export function eventIds(request: SeenRequest): string[] {
  return (request.body as { events: { eventId: string }[] }).events.map((event) => event.eventId);
}

/** A queue of each path on one fake platform; every report is kept. */
export function createQueues(
  respond: (request: SeenRequest, index: number) => Reply | Promise<Reply>,
  seed = 1,
  level: SdkLogLevel = 'warn',
) {
  const platform = new FakePlatform(respond, seed);
  const gate = createSendGate();
  const reports: SvcErrorReport[] = [];
  const connection = { baseUrl: 'http://localhost:4000', publishableKey: 'ob_pk_test_k', fetcher: platform.fetch };
  const queue = (path: 'flow' | 'product', url: string) =>
    new EventQueue({
      platform,
      connection,
      path,
      url,
      gate,
      logger: createLogger(platform, level),
      onError: (report) => reports.push(report),
    });
  const flow = queue('flow', '/v1/sdk/events');
  const product = queue('product', '/v1/sdk/analytics/events');
  const dropped = () => reports.flatMap((report) => (report.code === 'event_dropped' ? [report.eventId] : []));
  return { platform, gate, reports, flow, product, dropped };
}

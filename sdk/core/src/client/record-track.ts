import { cleanEventName, cleanProperties, type EventProperties } from '../analytics/limits';
import type { Identity } from '../api/types';
import type { EventQueue } from '../events/queue';
import { uuidV7 } from '../host/ids';
import type { SdkLogger } from '../host/log';
import type { HostCallbacks } from './host-callbacks';
import type { TrackEvent } from './options';
import type { Person } from './person';

/** Records an event of `track` in the name of a person. */
export function recordTrack(
  { person, host, logger }: { person: Person; host: HostCallbacks; logger: SdkLogger },
  queue: EventQueue,
  identity: Identity,
  name: string,
  properties: EventProperties | undefined,
  at: number,
): void {
  const clean = cleanEventName(name);
  const eventId = uuidV7(person.platform);
  if (clean === null) {
    host.reportInvalid('track', eventId, String(name));
    return;
  }
  const { properties: kept, problem } = cleanProperties(properties);
  if (problem) logger.debug(`${clean}: ${problem}`);
  const event: TrackEvent = {
    eventId,
    name: clean,
    timestamp: new Date(at).toISOString(),
    identity,
    context: person.device(),
    ...(kept ? { properties: kept } : {}),
  };
  queue.enqueue(event);
  host.tell({ path: 'track', event });
}

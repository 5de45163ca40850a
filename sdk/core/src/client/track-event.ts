import { cleanProperties, type EventProperties } from '../analytics/limits';
import type { Identity } from '../api/types';
import type { SdkLogger } from '../host/log';
import type { FlowEventContext } from '../run/flow-event';
import type { TrackEvent } from './options';

/** Builds an event of `track` from a name that is clean already; properties beyond the limits are left out. */
export function buildTrackEvent(
  head: { eventId: string; name: string; identity: Identity; context: FlowEventContext },
  properties: EventProperties | undefined,
  at: number,
  logger: SdkLogger,
): TrackEvent {
  const { eventId, name, identity, context } = head;
  const { properties: kept, problem } = cleanProperties(properties);
  if (problem) logger.debug(`${name}: ${problem}`);
  return {
    eventId,
    name,
    timestamp: new Date(at).toISOString(),
    identity,
    context,
    ...(kept ? { properties: kept } : {}),
  };
}

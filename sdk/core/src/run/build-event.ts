import type { Identity } from '../api/types';
import type { SvcConfig } from '../config';
import { normalizeLocale } from '../flow/locale';
import { uuidV4 } from '../host/ids';
import type { Platform } from '../host/platform';
import type { FlowEvent, FlowEventContext, FlowEventInput } from './flow-event';

/** What was served: the part of a resolve answer that events name. */
export interface ServedFlow {
  flowId: string;
  versionId: string;
  assignmentVersion: number;
  experimentId: string | null;
  variantId: string | null;
}

/** Who sent an event, and from what. */
export interface EventSource {
  identity: Identity;
  context: FlowEventContext;
}

/** What a config says about the device, as events carry it (wire.md §2.2). */
export function configContext(config: SvcConfig): FlowEventContext {
  const { platform, appVersion, locale, customProperties } = config;
  return {
    ...(platform ? { platform } : {}),
    ...(appVersion ? { appVersion } : {}),
    ...(locale ? { locale: normalizeLocale(locale) } : {}),
    ...(customProperties ? { customProperties } : {}),
  };
}

/** A flow event as it is sent, stamped with an id and the time of now (wire.md §5.1). */
export function buildFlowEvent(
  platform: Pick<Platform, 'randomBytes' | 'now'>,
  input: FlowEventInput,
  flow: ServedFlow,
  source: EventSource,
): FlowEvent {
  return {
    eventId: uuidV4(platform),
    ...input,
    timestamp: new Date(platform.now()).toISOString(),
    flowId: flow.flowId,
    versionId: flow.versionId,
    assignmentVersion: flow.assignmentVersion,
    experimentId: flow.experimentId,
    variantId: flow.variantId,
    identity: source.identity,
    context: source.context,
  };
}

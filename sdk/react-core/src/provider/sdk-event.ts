import { type FlowEvent, type FlowEventInput, type Platform, type SvcConfig, SvcConfigError } from '@svc/core';
import { buildFlowEvent, configContext, type ServedFlow, uuidV4 } from '@svc/core/internal';
import { randomBytes } from '../host/random';
import { relay } from './relay';

const host: Pick<Platform, 'randomBytes' | 'now'> = { randomBytes, now: () => Date.now() };

/** Id of a flow event: a random UUID. An event that is sent twice under one id is stored once. */
export function generateEventId(): string {
  return uuidV4(host);
}

/**
 * The id that events of a config go by: its `userId`, else the anonymous id that the mounted provider keeps.
 *
 * @throws SvcConfigError when there is neither
 */
export function getResolvedAppUserId(config: Pick<SvcConfig, 'userId'>): string {
  const own = config.userId?.trim();
  if (own) return own;
  const client = relay.attached;
  if (!client?.isReady)
    throw new SvcConfigError('userId', 'is missing, and no mounted SvcProvider keeps an anonymous id');
  return client.appUserId;
}

/** What happened, and in which flow; the latter as `useFlow().flow` has it. */
export interface SdkEventInput extends FlowEventInput, Pick<ServedFlow, 'flowId' | 'versionId' | 'assignmentVersion'> {
  /** Default null: no experiment. */
  experimentId?: string | null;
  /** Default null. */
  variantId?: string | null;
}

/**
 * Makes a flow event, for `useEventQueue().enqueue`. It bears the time of now and the person of the config; nothing
 * is sent.
 *
 * @throws SvcConfigError when nobody's id is known, as {@link getResolvedAppUserId}
 */
export function buildSdkEvent(config: SvcConfig, input: SdkEventInput): FlowEvent {
  const { flowId, versionId, assignmentVersion, experimentId = null, variantId = null, ...happened } = input;
  const { customUserId, customUserIdProof, sessionId } = config;
  const identity = {
    appUserId: getResolvedAppUserId(config),
    ...(customUserId
      ? { customUserId, ...(customUserIdProof ? { customUserIdProof } : {}) }
      : customUserId === undefined && relay.attached?.person.custom),
    ...(sessionId ? { sessionId } : {}),
  };
  const system = relay.attached?.person.operatingSystem;
  const served = { flowId, versionId, assignmentVersion, experimentId, variantId };
  const context = { ...(system ? { platform: system } : {}), ...configContext(config) };
  return buildFlowEvent(host, happened, served, { identity, context });
}

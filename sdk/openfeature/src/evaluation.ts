import type { ResolvedFlow, ResolveResult } from '@svc/core';

/** What a channel serves a person, as the object value of its flag. */
export interface ChannelValue {
  flowId: string;
  versionId: string;
  versionNumber: number;
  assignmentVersion: number;
  /** Null while no experiment runs on the channel. */
  experimentId: string | null;
  variantId: string | null;
}

/** Kinds of values that a flag can be asked for. */
export type FlagKind = 'boolean' | 'string' | 'number' | 'object';

/** The parts of OpenFeature's resolution details that both of its SDKs share. */
export interface ChannelDetails {
  value: boolean | string | number | ChannelValue;
  variant: string;
  reason: string;
  flagMetadata: Record<string, string | number | boolean>;
}

/**
 * The value of a channel's flag: as boolean whether something is served, as string the variant or else the version,
 * as number the version's number, as object all of it.
 */
export function evaluate(
  flow: ResolvedFlow,
  source: ResolveResult['source'] | 'memory',
  kind: FlagKind,
): ChannelDetails {
  const { flowId, versionId, versionNumber, assignmentVersion, experimentId, variantId } = flow;
  const values = {
    boolean: true,
    string: variantId ?? versionId,
    number: versionNumber,
    object: { flowId, versionId, versionNumber, assignmentVersion, experimentId, variantId },
  };
  return {
    value: values[kind],
    variant: variantId ?? versionId,
    reason: reasonOf(flow, source),
    flagMetadata: {
      flowId,
      versionId,
      versionNumber,
      assignmentVersion,
      ...(experimentId ? { experimentId } : {}),
      ...(variantId ? { variantId } : {}),
    },
  };
}

function reasonOf({ experimentId }: ResolvedFlow, source: ResolveResult['source'] | 'memory'): string {
  if (source === 'stale' || source === 'bundled') return 'STALE';
  if (source === 'cached') return 'CACHED';
  return experimentId ? 'SPLIT' : 'STATIC';
}

/** OpenFeature's code for an error of core: there is no such flag, or something went wrong. */
export function errorCodeOf(error: unknown): 'FLAG_NOT_FOUND' | 'PROVIDER_FATAL' | 'GENERAL' {
  const { status } = error as { status?: unknown };
  if (status === 404 || status === 410) return 'FLAG_NOT_FOUND';
  return status === 401 || status === 403 ? 'PROVIDER_FATAL' : 'GENERAL';
}

/** Remembers which exposures were recorded; of the most recent ones only, so that a server's memory is bounded. */
export class Exposures {
  private readonly seen = new Set<string>();

  constructor(private readonly limit = 10_000) {}

  /** Whether this is the first time that the person gets this arm of this experiment. */
  isFirst(appUserId: string, flow: ResolvedFlow): boolean {
    const { experimentId, variantId, assignmentVersion, channelId } = flow;
    if (!experimentId) return false;
    const key = JSON.stringify([appUserId, channelId, experimentId, variantId, assignmentVersion]);
    if (this.seen.has(key)) return false;
    this.seen.add(key);
    if (this.seen.size > this.limit) for (const oldest of this.seen) return this.seen.delete(oldest);
    return true;
  }
}

import type { AttributionAttributes } from '@svc/core';
import { hasAttributionSignal } from '@svc/core/internal';

/** What an attribution provider knows about how the app was found (wire.md §10.3). */
export interface AttributionSnapshot {
  /** Lower-case letters, digits, `_` and `-`. */
  providerId: string;
  /** Milliseconds since 1970. */
  capturedAtMs: number;
  attribution?: {
    isOrganic?: boolean | undefined;
    confidence?: 'high' | 'medium' | 'low' | undefined;
    matchType?: string | undefined;
  };
  acquisition?: {
    source?: string | undefined;
    campaign?: string | undefined;
    campaignId?: string | undefined;
    adset?: string | undefined;
    adsetId?: string | undefined;
    creative?: string | undefined;
    creativeId?: string | undefined;
    channel?: string | undefined;
  };
  link?: {
    /** Primary route or deep-link value. */
    entry?: string | undefined;
    params?: Readonly<Record<string, string | number | boolean>> | undefined;
  };
}

/** Longest name of a link parameter; the rest is cut off. */
const MAX_PARAM_LENGTH = 64;

type Scalar = string | number | boolean;

/** The members that say something. */
function known(facet: object | undefined): Record<string, Scalar> {
  const entries = Object.entries(facet ?? {}).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(entries) as Record<string, Scalar>;
}

/** The snapshot under the canonical keys that events and decisions use (wire.md §10.1). Empty values are left out. */
export function flattenAttributionSnapshot(snapshot: AttributionSnapshot): AttributionAttributes {
  const { providerId, attribution, acquisition, link } = snapshot;
  const flat: AttributionAttributes = { 'attribution.provider': providerId };
  for (const [key, value] of Object.entries(known(attribution))) flat[`attribution.${key}`] = value;
  for (const [key, value] of Object.entries(known(acquisition))) flat[`acquisition.${key}`] = value;
  if (link?.entry) flat['link.entry'] = link.entry;
  for (const [name, value] of Object.entries(known(link?.params))) {
    const clean = name.replace(/[^A-Za-z0-9_]/g, '_').slice(0, MAX_PARAM_LENGTH);
    if (clean !== '') flat[`link.ext.${clean}`] = value;
  }
  return flat;
}

/** Whether a snapshot says anything besides who took it. */
export function snapshotHasSignal(snapshot: AttributionSnapshot): boolean {
  return hasAttributionSignal(flattenAttributionSnapshot(snapshot));
}

/** Joins what came earlier with what came later: the later value wins, and a missing one takes nothing away. */
export function mergeAttributionSnapshots(
  earlier: AttributionSnapshot | null,
  later: AttributionSnapshot,
): AttributionSnapshot {
  if (!earlier) return later;
  const entry = later.link?.entry || earlier.link?.entry;
  return {
    providerId: later.providerId,
    capturedAtMs: Math.max(earlier.capturedAtMs, later.capturedAtMs),
    attribution: { ...known(earlier.attribution), ...known(later.attribution) },
    acquisition: { ...known(earlier.acquisition), ...known(later.acquisition) },
    link: { ...(entry ? { entry } : {}), params: { ...known(earlier.link?.params), ...known(later.link?.params) } },
  };
}

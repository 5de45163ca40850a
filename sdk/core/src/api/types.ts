import type { FlowManifest } from '../manifest/types';

/** Who asks (wire.md §2.1). */
export interface Identity {
  appUserId: string;
  customUserId?: string;
  /** What the app's own server made of the former. */
  customUserIdProof?: string;
  sessionId?: string;
}

export interface ColorPreset {
  id: string;
  name: string;
  value: string;
}
export interface GradientPreset {
  id: string;
  name: string;
  type: 'linear' | 'radial';
  angle?: number;
  stops: { offset: number; color: string }[];
}
export interface FontFamily {
  id: string;
  name: string;
  styles: {
    id: string;
    weight: number;
    italic: boolean;
    label?: string;
    mediaAssetId?: string;
    url?: string;
    filename?: string;
  }[];
}
export interface Branding {
  appIcon?: { url: string; source: 'app_store' | 'play_store' | 'upload' };
  colorPresets: ColorPreset[];
  gradientPresets: GradientPreset[];
  fontFamilies: FontFamily[];
}
export interface Integrations {
  revenuecat?: { enabled: boolean; defaultOfferingId: string; defaultPlacementId: string };
  superwall?: { enabled: boolean; defaultPlacementId: string };
  appsflyer?: { enabled: boolean };
  stripe?: { enabled: boolean };
}

/** What a channel serves (wire.md §3.2). Also the shape of a bundled fallback. */
export interface ResolvedFlow {
  /** Absent in answers of the first generation. */
  kind?: 'flow';
  flowId: string;
  versionId: string;
  versionNumber: number;
  assignmentVersion: number;
  environment: 'test' | 'live';
  channelId: string;
  experimentId: string | null;
  variantId: string | null;
  manifest: FlowManifest;
  mediaMap: Record<string, string>;
  branding?: Branding;
  features?: { attribution?: boolean };
  integrations?: Integrations;
  /** Set on what a preview link shows: nothing of its run is recorded, kept or sold. */
  preview?: true;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Checks the parts of a resolve answer that the SDK relies on and fills what older servers leave out.
 * Returns the name of the first bad field instead when it is unusable.
 */
export function parseResolvedFlow(value: unknown): ResolvedFlow | { invalid: string } {
  if (!isObject(value)) return { invalid: 'body' };
  if (value.kind !== undefined && value.kind !== 'flow') return { invalid: 'kind' };
  for (const field of ['flowId', 'versionId', 'channelId', 'environment'] as const) {
    if (typeof value[field] !== 'string' || value[field] === '') return { invalid: field };
  }
  if (!Number.isInteger(value.assignmentVersion)) return { invalid: 'assignmentVersion' };
  const manifest = value.manifest;
  if (!isObject(manifest) || !Array.isArray(manifest.screens) || typeof manifest.defaultLocale !== 'string') {
    return { invalid: 'manifest' };
  }
  return {
    ...(value as unknown as ResolvedFlow),
    experimentId: typeof value.experimentId === 'string' ? value.experimentId : null,
    variantId: typeof value.variantId === 'string' ? value.variantId : null,
    mediaMap: isObject(value.mediaMap) ? (value.mediaMap as Record<string, string>) : {},
  };
}

/** The tag of a flow answer: the client rebuilds it for entries of resolve-all (wire.md §3.7). */
export function flowEtag(flow: Pick<ResolvedFlow, 'assignmentVersion' | 'versionId'>): string {
  return `"${flow.assignmentVersion}-${flow.versionId}"`;
}

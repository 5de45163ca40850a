import type { ExternalSurfaceNode, FlowManifest, Screen } from '../manifest/types';
import type { SdkAttributes, StoredResponses } from './responses';

export type FlowStatus = 'idle' | 'running' | 'completed' | 'abandoned';

export interface FlowSession {
  locale: string;
  platform: string;
  /** Host attributes, attribution keys and surface patches, already merged in that order. */
  sdkAttributes: SdkAttributes;
  /** What surfaces wrote during the run; laid over again whenever the attributes below are replaced. */
  surfaceKeys: SdkAttributes;
}

/** State of one run (runtime.md §1). Immutable: every function returns a new one, or the same when nothing changed. */
export interface FlowState {
  readonly manifest: FlowManifest;
  readonly currentScreenId: string | null;
  readonly pendingExternalSurface: { readonly nodeId: string } | null;
  /** Ids of the screens and surfaces shown, oldest first. */
  readonly history: readonly string[];
  readonly responses: StoredResponses;
  readonly session: FlowSession;
  readonly status: FlowStatus;
  /** ISO 8601, from the clock that the caller passed. */
  readonly startedAt: string | null;
  readonly completedAt: string | null;
}

/** Builds an idle state. Without a platform the run counts as happening outside an SDK: `unknown`. */
export function initFlowState(manifest: FlowManifest, session: Partial<FlowSession> = {}): FlowState {
  return {
    manifest,
    currentScreenId: null,
    pendingExternalSurface: null,
    history: [],
    responses: {},
    session: {
      locale: session.locale ?? manifest.defaultLocale,
      platform: session.platform ?? 'unknown',
      sdkAttributes: session.sdkAttributes ?? {},
      surfaceKeys: session.surfaceKeys ?? {},
    },
    status: 'idle',
    startedAt: null,
    completedAt: null,
  };
}

export function findScreen(manifest: FlowManifest, id: string | null): Screen | undefined {
  return manifest.screens.find((screen) => screen.id === id);
}

export function findExternalSurface(manifest: FlowManifest, id: string | null): ExternalSurfaceNode | undefined {
  return manifest.externalSurfaceNodes?.find((node) => node.id === id);
}

/**
 * Replaces host and attribution attributes of a run in progress. Patches that surfaces wrote stay on top
 * (wire.md §10.2).
 */
export function replaceSdkAttributes(state: FlowState, attributes: SdkAttributes): FlowState {
  const { session } = state;
  return { ...state, session: { ...session, sdkAttributes: { ...attributes, ...session.surfaceKeys } } };
}

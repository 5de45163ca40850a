import type { Identity } from '../api/types';
import type { FlowManifest } from '../manifest/types';
import type { AppAnswers } from '../types';
import { buildTerminalAnswers, stripAuthResponsesForTerminalExport } from './answers';
import type { SdkAttributes, StoredResponse } from './responses';
import type { FlowState } from './state';

/** Which assignment a run was served by. */
export interface FlowCorrelation {
  channelId: string;
  flowId: string;
  versionId: string;
  assignmentVersion: number;
  environment: 'test' | 'live';
  experimentId: string | null;
  variantId: string | null;
}
export type CustomProperties = Record<string, string | number | boolean>;

/** What `onFlowCompleted` and `onFlowAbandoned` receive (wire.md §6.1). */
export interface FlowTerminalSnapshot {
  schemaVersion: 1;
  terminal: 'completed' | 'abandoned';
  /** ISO 8601. */
  occurredAt: string | null;
  correlation: FlowCorrelation;
  subject: Identity;
  device: { locale: string; platform: string; appVersion?: string; customProperties?: CustomProperties };
  answers: AppAnswers;
  traits: SdkAttributes;
  path?: string[];
  answersDetail?: Record<string, StoredResponse>;
  manifest?: FlowManifest;
}

/** The three optional sections, all off by default. */
export interface TerminalPayloadOptions {
  includeManifestInTerminalPayload?: boolean;
  includePathInTerminalPayload?: boolean;
  includeAnswerDetailInTerminalPayload?: boolean;
}

export interface SnapshotInput {
  state: FlowState;
  correlation: FlowCorrelation;
  subject: Identity;
  appVersion?: string;
  customProperties?: CustomProperties;
  options?: TerminalPayloadOptions;
}

/** Builds the terminal snapshot of a run that is completed or abandoned; null while it is neither. */
export function buildTerminalSnapshot(input: SnapshotInput): FlowTerminalSnapshot | null {
  const { state, subject, appVersion, customProperties, options = {} } = input;
  if (state.status !== 'completed' && state.status !== 'abandoned') return null;
  const { channelId, flowId, versionId, assignmentVersion, environment, experimentId, variantId } = input.correlation;
  return {
    schemaVersion: 1,
    terminal: state.status,
    occurredAt: state.completedAt,
    correlation: { channelId, flowId, versionId, assignmentVersion, environment, experimentId, variantId },
    subject: {
      appUserId: subject.appUserId,
      ...(subject.customUserId ? { customUserId: subject.customUserId } : {}),
      ...(subject.sessionId ? { sessionId: subject.sessionId } : {}),
    },
    device: {
      locale: state.session.locale,
      platform: state.session.platform,
      ...(appVersion === undefined ? {} : { appVersion }),
      ...(customProperties === undefined ? {} : { customProperties: { ...customProperties } }),
    },
    answers: buildTerminalAnswers(state),
    traits: { ...state.session.sdkAttributes },
    ...(options.includePathInTerminalPayload ? { path: [...state.history] } : {}),
    ...(options.includeAnswerDetailInTerminalPayload
      ? { answersDetail: stripAuthResponsesForTerminalExport(state.responses) }
      : {}),
    ...(options.includeManifestInTerminalPayload ? { manifest: state.manifest } : {}),
  };
}

import type { ResolvedFlow } from '../api/types';
import type { FlowCorrelation, FlowTerminalSnapshot } from '../flow/snapshot';
import {
  filledText,
  flag,
  listOf,
  mapOf,
  must,
  oneOf,
  optional,
  orNull,
  record,
  scalar,
  text,
  type Validation,
  validate,
  wholeFrom,
} from './validation';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Made when they are asked for: most apps never are, and bundlers can then leave them out. */
function checks() {
  /** Any version and variant, the all-zero one too (wire.md §1). */
  const uuid = must((value) => typeof value === 'string' && UUID.test(value), 'must be a UUID');
  const environment = oneOf('test', 'live');
  const anything = must(() => true, '');

  const correlation = record({
    channelId: filledText,
    flowId: uuid,
    versionId: uuid,
    assignmentVersion: wholeFrom(0),
    environment,
    experimentId: orNull(uuid),
    variantId: orNull(filledText),
  });

  const device = record({
    locale: text,
    platform: text,
    appVersion: optional(text),
    customProperties: optional(mapOf(scalar)),
  });

  /** The parts of a manifest without which nothing can run; the service validates the rest when it is published. */
  const manifest = record({
    defaultLocale: filledText,
    locales: listOf(filledText),
    entryScreenId: orNull(filledText),
    screens: listOf(record({ id: filledText, regions: record({}), next: record({}) })),
  });

  const assignment = record({
    kind: optional(oneOf('flow')),
    flowId: uuid,
    versionId: uuid,
    versionNumber: wholeFrom(1),
    assignmentVersion: wholeFrom(0),
    environment,
    channelId: filledText,
    experimentId: orNull(uuid),
    variantId: orNull(filledText),
    manifest,
    mediaMap: mapOf(text),
    features: optional(record({ attribution: optional(flag) })),
  });

  const snapshot = record({
    schemaVersion: oneOf(1),
    terminal: oneOf('completed', 'abandoned'),
    occurredAt: orNull(
      must((value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)), 'must be an ISO 8601 time'),
    ),
    correlation,
    subject: record({ appUserId: filledText, customUserId: optional(filledText), sessionId: optional(filledText) }),
    device,
    answers: mapOf(anything),
    traits: mapOf(scalar),
    path: optional(listOf(filledText)),
    answersDetail: optional(mapOf(record({ kind: filledText }))),
    manifest: optional(manifest),
  });

  return { snapshot, assignment, correlation, device };
}

/**
 * Checks what `onFlowCompleted` and `onFlowAbandoned` receive (wire.md §6.1), for hosts that pass it on as JSON. Never
 * throws.
 */
export function validateFlowTerminalSnapshot(value: unknown): Validation<FlowTerminalSnapshot> {
  return validate(checks().snapshot, value);
}

/** Checks a resolve answer (wire.md §3.2), for hosts that ship or cache one of their own. Never throws. */
export function validateResolveAssignment(value: unknown): Validation<ResolvedFlow> {
  return validate(checks().assignment, value);
}

/** Checks the part of a snapshot that tells which assignment a run was served by. Never throws. */
export function validateFlowCorrelation(value: unknown): Validation<FlowCorrelation> {
  return validate(checks().correlation, value);
}

/** Checks the part of a snapshot that tells what a run was shown on. Never throws. */
export function validateFlowDevice(value: unknown): Validation<FlowTerminalSnapshot['device']> {
  return validate(checks().device, value);
}

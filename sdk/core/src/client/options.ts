import type { EventProperties } from '../analytics/limits';
import type { ProductEvent } from '../analytics/product';
import type { SessionAttribution } from '../analytics/session-attribution';
import type { Identity, ResolvedFlow } from '../api/types';
import type { AnalyticsConsent, SvcConfig, SvcPlatform } from '../config';
import type { SvcErrorReport } from '../events/report';
import type { SdkLogLevel } from '../host/log';
import type { ParsedUrl, Platform } from '../host/platform';
import type { FlowEvent, FlowEventContext } from '../run/flow-event';
import type { FlowRunOptions } from '../run/flow-run';

/** An event as `onEvent` receives it. */
export type SvcEvent =
  | { path: 'flow'; event: FlowEvent }
  | { path: 'product'; event: ProductEvent }
  | { path: 'track'; event: TrackEvent };

/** An event of `track`, as it is sent. */
export interface TrackEvent {
  eventId: string;
  name: string;
  /** ISO 8601, the time it happened. */
  timestamp: string;
  identity: Identity;
  context: FlowEventContext;
  properties?: EventProperties;
}

/** What the host of a client gives it. */
export interface SvcClientOptions {
  platform: Platform;
  config: SvcConfig;
  /** `web` waits for consent and counts pages; `app` collects at once and counts screens. */
  kind: 'web' | 'app';
  /** The operating system in apps; what the config says wins. */
  defaultPlatform: SvcPlatform;
  logLevel?: SdkLogLevel;
  /**
   * Attribution of sessions in apps.
   *
   * @internal
   */
  attribution?: SessionAttribution;
  /** Web: the page of now, and the referrer of the document. */
  page?: { current(): ParsedUrl | null; referrer: ParsedUrl | null };
  /** What the device is, where the host knows it better than the service's reading of the user agent. */
  deviceContext?: { browser?: string; os?: string; device?: string; locale?: string };
  /**
   * Resolves, and never rejects, when `platform.storage` may be read. Until then nobody's id is known: calls are
   * kept and flows wait. Default: at once.
   */
  ready?: Promise<void>;
  /** Whole resolve answers by channel, shipped with the app. */
  bundled?: Readonly<Record<string, ResolvedFlow>>;
  /** What `setAnalyticsConsent` was called with before the client existed. */
  earlierConsent?: AnalyticsConsent;
  onError?: (report: SvcErrorReport) => void;
  onEvent?: (event: SvcEvent) => void;
}

/** What a host wants from a run, beside its flow. */
export type RunCallbacks = Pick<FlowRunOptions, 'onFlowCompleted' | 'onFlowAbandoned' | 'onStep' | 'terminalPayload'>;

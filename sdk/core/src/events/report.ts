/** The three paths that events take; they are never mixed. */
export type EventPath = 'flow' | 'product' | 'track';

/** What `onError` receives. Nothing is lost without one of these. */
export type SvcErrorReport =
  | {
      code: 'event_dropped';
      path: EventPath;
      eventId: string;
      name: string;
      /** `queue_full`, `payload_too_large`, `shutdown`, `consent_denied`, or the code of the service's refusal. */
      reason: string;
      message?: string;
    }
  /** The service asked to stop (402); events wait until the provider mounts again. */
  | { code: 'sending_stopped'; path: EventPath; reason: string; message: string }
  /** A flow could not be loaded and nothing stood in for it. */
  | LoadFailure
  /** The configuration cannot work, so nothing is loaded and nothing sent; production builds only, others throw. */
  | { code: 'config_invalid'; field: string; message: string }
  /** Something else went wrong that the app cannot see otherwise. */
  | { code: 'flow_error'; reason: string; message: string };

/** Why a flow could not be loaded. */
export interface LoadFailure {
  code: 'load_failed';
  /** `timeout`, `network_error`, `invalid_response`, or the code of the service's refusal as `channel_archived`. */
  reason: string;
  /** HTTP status of the answer; null when there was none. */
  status: number | null;
  channelId: string;
  /** Whether trying again can help: false for refusals, which the same request would meet again. */
  retryable: boolean;
  message: string;
}

export type ErrorListener = (report: SvcErrorReport) => void;

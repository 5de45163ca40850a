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
  /** Something else went wrong that the app cannot see otherwise. */
  | { code: 'flow_error'; reason: string; message: string };

export type ErrorListener = (report: SvcErrorReport) => void;

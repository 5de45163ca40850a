import { SvcApiError, SvcError } from '../errors';
import type { EventPath, LoadFailure, SvcErrorReport } from '../events/report';
import type { Platform } from '../host/platform';
import type { SvcClientOptions, SvcEvent } from './options';

/** A failed load as reports have it. */
export function loadFailure(channelId: unknown, error: unknown): LoadFailure {
  const known = error instanceof SvcError ? error : null;
  return {
    code: 'load_failed',
    reason: known?.code ?? 'unknown',
    status: error instanceof SvcApiError ? error.status : null,
    channelId: typeof channelId === 'string' ? channelId.trim() : '',
    retryable: known?.retryable ?? true,
    message: error instanceof Error ? error.message : String(error),
  };
}

/** The host's listeners, which may throw without harm to whoever calls them. */
export class HostCallbacks {
  /** Failures of loads that the console has had: one line for each channel and reason. */
  private readonly printed = new Set<string>();

  constructor(
    private readonly platform: Pick<Platform, 'console' | 'developmentBuild'>,
    private readonly listeners: Pick<SvcClientOptions, 'onError' | 'onEvent'>,
  ) {}

  report(report: SvcErrorReport): void {
    this.guard(() => this.listeners.onError?.(report));
  }

  tell(event: SvcEvent): void {
    this.guard(() => this.listeners.onEvent?.(event));
  }

  /** Reports a failed load, in development builds to the console too. */
  reportLoadFailure(channelId: string, error: unknown): void {
    const failure = loadFailure(channelId, error);
    this.report(failure);
    const { reason, status, message } = failure;
    const line = `${failure.channelId} ${reason}`;
    if (!this.platform.developmentBuild || this.printed.has(line)) return;
    this.printed.add(line);
    const code = status === null ? reason : `${reason} (${status})`;
    this.platform.console.warn(`[svc] channel "${failure.channelId}" could not be loaded: ${code}`, message);
  }

  /** Calls the host. What it throws must not stop the delivery of events half-way. */
  guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      if (this.platform.developmentBuild) this.platform.console.warn('[svc] a callback of the app threw', error);
    }
  }

  /** Reports an event that is dropped because its name can't be one. */
  reportInvalid(path: EventPath, eventId: string, name: string): void {
    this.report({ code: 'event_dropped', path, eventId, name, reason: 'invalid_name' });
  }
}

import type { Platform } from './platform';

/**
 * `silent` prints nothing; `warn` prints event transport failures and paywall integration warnings; `debug` adds
 * diagnostics and limit warnings, in development builds only (interface.md §2.6).
 */
export type SdkLogLevel = 'silent' | 'warn' | 'debug';
export const DEFAULT_SDK_LOG_LEVEL: SdkLogLevel = 'silent';

export interface SdkLogger {
  readonly level: SdkLogLevel;
  warn(...parts: unknown[]): void;
  debug(...parts: unknown[]): void;
}

/** A logger that prints to the host's console as far as the level lets it. */
export function createLogger(
  platform: Pick<Platform, 'console' | 'developmentBuild'>,
  level: SdkLogLevel = DEFAULT_SDK_LOG_LEVEL,
): SdkLogger {
  return {
    level,
    warn: (...parts) => {
      if (level !== 'silent') platform.console.warn('[svc]', ...parts);
    },
    debug: (...parts) => {
      if (level === 'debug' && platform.developmentBuild) platform.console.debug('[svc]', ...parts);
    },
  };
}

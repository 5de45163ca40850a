import type { Palette } from '@svc/core';

/** Words of `DefaultResolveError`. */
export const DEFAULT_RESOLVE_ERROR_TITLE = 'This could not be loaded.';
export const DEFAULT_RESOLVE_ERROR_RETRY_LABEL = 'Try again';

export interface DefaultResolveErrorProps {
  /** Asks the service again. */
  retry: () => void;
  title?: string;
  retryLabel?: string;
  theme?: Palette;
}

import type { Palette } from '@svc/core/internal';
import { type Copy, DEFAULT_COPY } from '../renderer/copy';

export interface DefaultResolveErrorProps {
  /** Asks the service again. */
  retry: () => void;
  /** Whether asking again can help; it is only offered then. Default true. */
  retryable?: boolean;
  /** Words in the language of the flow; `loadFailed` and `retry` are used. */
  copy?: Partial<Copy> | undefined;
  /** Wins over `copy`. */
  title?: string;
  /** Wins over `copy`. */
  retryLabel?: string;
  theme?: Palette;
}

/** The words of a resolve error. No label means that asking again cannot help. */
export function resolveErrorWords({
  retryable = true,
  copy,
  title,
  retryLabel,
}: Pick<DefaultResolveErrorProps, 'retryable' | 'copy' | 'title' | 'retryLabel'>): {
  title: string;
  retryLabel: string | null;
} {
  const words = { ...DEFAULT_COPY, ...copy };
  return {
    title: title ?? words.loadFailed,
    retryLabel: retryable ? (retryLabel ?? words.retry) : null,
  };
}

/** Headline of the default view of a flow that could not be loaded. */
export const DEFAULT_RESOLVE_ERROR_TITLE = 'Something went wrong';
/** Label of its button. */
export const DEFAULT_RESOLVE_ERROR_RETRY_LABEL = 'Try again';

export interface DefaultResolveErrorProps {
  retry: () => void;
  /** Default {@link DEFAULT_RESOLVE_ERROR_TITLE}. */
  title?: string;
  /** Default {@link DEFAULT_RESOLVE_ERROR_RETRY_LABEL}. */
  retryLabel?: string;
}

/** What `Flow` shows when nothing can be served and the host gave no `fallback`. */
export function DefaultResolveError({
  retry,
  title = DEFAULT_RESOLVE_ERROR_TITLE,
  retryLabel = DEFAULT_RESOLVE_ERROR_RETRY_LABEL,
}: DefaultResolveErrorProps) {
  return (
    <div
      role="alert"
      style={{ display: 'grid', gap: 12, placeContent: 'center', justifyItems: 'center', minHeight: 160, padding: 24 }}
    >
      <p style={{ margin: 0 }}>{title}</p>
      <button type="button" onClick={retry}>
        {retryLabel}
      </button>
    </div>
  );
}

import { BUTTON_VARIANTS } from '@svc/core';
import {
  DEFAULT_RESOLVE_ERROR_RETRY_LABEL,
  DEFAULT_RESOLVE_ERROR_TITLE,
  type DefaultResolveErrorProps,
} from '@svc/react-core';
import { Frame } from './waiting';

/** What `Flow` shows when its flow cannot be loaded and the host has nothing of its own. */
export function DefaultResolveError({ retry, title, retryLabel, theme = 'light' }: DefaultResolveErrorProps) {
  const chrome = BUTTON_VARIANTS.secondary;
  return (
    <Frame role="alert" palette={theme}>
      <span className="svc-text" style={{ textAlign: 'center', paddingInline: 20 }}>
        {title ?? DEFAULT_RESOLVE_ERROR_TITLE}
      </span>
      <button
        type="button"
        className="svc-press"
        onClick={retry}
        style={{
          padding: '10px 14px',
          borderRadius: 10,
          border: `1px solid ${chrome.border?.[theme]}`,
          color: chrome.label[theme],
        }}
      >
        {retryLabel ?? DEFAULT_RESOLVE_ERROR_RETRY_LABEL}
      </button>
    </Frame>
  );
}

import { BUTTON_VARIANTS } from '@svc/core/internal';
import { type DefaultResolveErrorProps as BaseProps, resolveErrorWords } from '@svc/react-core';
import { Frame, type FrameProps, type Way, WayButton } from './waiting';

export interface DefaultResolveErrorProps extends BaseProps, Omit<FrameProps, 'palette'> {
  /** Offered below, where the view stands in something that can be closed. */
  close?: Way | undefined;
}

/** What `Flow` shows when its flow cannot be loaded and the host has nothing of its own. */
export function DefaultResolveError(props: DefaultResolveErrorProps) {
  const { retry, retryable: _, copy: __, title: ___, retryLabel: ____, theme = 'light', close, ...frame } = props;
  const words = resolveErrorWords(props);
  const chrome = BUTTON_VARIANTS.secondary;
  return (
    <Frame {...frame} role="alert" palette={theme}>
      <span className="svc-text">{words.title}</span>
      {words.retryLabel && (
        <WayButton
          label={words.retryLabel}
          run={retry}
          css={{ borderRadius: 10, border: `1px solid ${chrome.border?.[theme]}`, color: chrome.label[theme] }}
        />
      )}
      {close && <WayButton {...close} />}
    </Frame>
  );
}

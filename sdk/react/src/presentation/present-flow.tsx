import type { FlowTerminalSnapshot } from '@svc/core';
import {
  channelOfFlowLink,
  FLOW_LINK_PARAM,
  isServer,
  PREVIEW_LINK_PARAM,
  present,
  previewOfFlowLink,
} from '@svc/react-core';
import { type FlowModalProps, PresentedFlow } from './flow-modal';

export type PresentFlowOptions = Omit<FlowModalProps, 'channelId'>;

/**
 * Presents the flow of a channel above the page, from anywhere in the app. Calls before a `SvcProvider` is mounted
 * wait for it.
 *
 * @returns how the run ended: completed, or abandoned when the visitor closed it; null when nothing was presented,
 * whose reason `onSkipped` and `onError` tell, and on a server. Never rejects.
 *
 * @example
 * const snapshot = await presentFlow('ch_live_paywall', { presentation: 'sheet' });
 * if (snapshot?.terminal === 'completed') unlock();
 */
export function presentFlow(channelId: string, options: PresentFlowOptions = {}): Promise<FlowTerminalSnapshot | null> {
  return presentTarget({ channelId }, options);
}

/** What is presented: the flow of a channel, or that of a preview link by its token. */
type Target = { channelId: string; preview?: undefined } | { channelId?: undefined; preview: string };

function presentTarget({ channelId = '', preview }: Target, options: PresentFlowOptions) {
  return present((close) => (
    <PresentedFlow
      {...options}
      channelId={channelId}
      preview={preview}
      onClosed={(snapshot) => {
        close(snapshot);
        options.onClosed?.(snapshot);
      }}
    />
  ));
}

/**
 * Presents the flow that a link asks for: that of a channel by `?svc.channel=ch_…`, as links in mails and QR codes have
 * it, or a draft by the `?svc.preview=…` of the dashboard. The parameter leaves the address of the page, so that a
 * reload does not present it again.
 *
 * A preview has a badge. Nothing of it is recorded, kept or sold, it signs nobody in, and since nobody really came to
 * its end, `onFlowCompleted` and `onFlowAbandoned` are not called.
 *
 * @param href default: the address of the page
 * @returns as {@link presentFlow}; null as well when the link asks for none, and after a preview
 */
export function presentFlowLink(
  href: string = isServer() ? '' : window.location.href,
  options: PresentFlowOptions = {},
): Promise<FlowTerminalSnapshot | null> {
  const preview = previewOfFlowLink(href);
  const channelId = channelOfFlowLink(href);
  if (preview === null && channelId === null) return Promise.resolve(null);
  if (!isServer() && href === window.location.href) {
    const url = new URL(href);
    url.searchParams.delete(FLOW_LINK_PARAM);
    url.searchParams.delete(PREVIEW_LINK_PARAM);
    // Not through a router's wrapper: it is still the same page.
    History.prototype.replaceState.call(window.history, window.history.state, '', url);
  }
  if (preview === null) return presentFlow(channelId ?? '', options);
  const { onFlowCompleted: _, onFlowAbandoned: __, onClosed, ...rest } = options;
  return presentTarget({ preview }, { ...rest, onClosed: () => onClosed?.(null) }).then(() => null);
}

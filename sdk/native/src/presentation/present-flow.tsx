import type { FlowTerminalSnapshot } from '@svc/core';
import { channelOfFlowLink, present, previewOfFlowLink } from '@svc/react-core';
import { type FlowModalProps, PresentedFlow } from './flow-modal';
import { InTurn } from './presentation-outlet';

export type PresentFlowOptions = Omit<FlowModalProps, 'channelId'>;

/**
 * Presents the flow of a channel above the app, from anywhere in it. Calls before a `SvcProvider` is mounted wait for
 * it, and calls while another flow is presented wait for its end.
 *
 * @returns how the run ended: completed, or abandoned when the person closed it; null when nothing was presented,
 * whose reason `onSkipped` and `onError` tell. Never rejects.
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
    <InTurn>
      <PresentedFlow
        {...options}
        channelId={channelId}
        preview={preview}
        onClosed={(snapshot) => {
          close(snapshot);
          options.onClosed?.(snapshot);
        }}
      />
    </InTurn>
  ));
}

/**
 * Presents the flow that a link asks for: that of a channel by `?svc.channel=ch_…`, as links in mails and QR codes have
 * it, or a draft by the `?svc.preview=…` of the dashboard.
 *
 * A preview has a badge. Nothing of it is recorded, kept or sold, it signs nobody in, and since nobody really came to
 * its end, `onFlowCompleted` and `onFlowAbandoned` are not called.
 *
 * @returns as {@link presentFlow}; null as well when the link asks for none, and after a preview
 */
export function presentFlowLink(href: string, options: PresentFlowOptions = {}): Promise<FlowTerminalSnapshot | null> {
  const preview = previewOfFlowLink(href);
  const channelId = channelOfFlowLink(href);
  if (preview === null) return channelId === null ? Promise.resolve(null) : presentFlow(channelId, options);
  const { onFlowCompleted: _, onFlowAbandoned: __, onClosed, ...rest } = options;
  return presentTarget({ preview }, { ...rest, onClosed: () => onClosed?.(null) }).then(() => null);
}

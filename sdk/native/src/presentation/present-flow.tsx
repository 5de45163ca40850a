import type { FlowTerminalSnapshot } from '@svc/core';
import { channelOfFlowLink, present } from '@svc/react-core';
import { FlowModal, type FlowModalProps } from './flow-modal';
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
  return present((close) => (
    <InTurn>
      <FlowModal
        {...options}
        channelId={channelId}
        onClosed={(snapshot) => {
          close(snapshot);
          options.onClosed?.(snapshot);
        }}
      />
    </InTurn>
  ));
}

/**
 * Presents the flow that a link asks for by `?svc.channel=ch_…`, as links in mails and QR codes do.
 *
 * @returns as {@link presentFlow}; null as well when the link asks for none
 */
export function presentFlowLink(href: string, options: PresentFlowOptions = {}): Promise<FlowTerminalSnapshot | null> {
  const channelId = channelOfFlowLink(href);
  return channelId === null ? Promise.resolve(null) : presentFlow(channelId, options);
}

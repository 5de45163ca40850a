import type { FlowTerminalSnapshot } from '@svc/core';
import { channelOfFlowLink, FLOW_LINK_PARAM, isServer, presentations, relay } from '@svc/react-core';
import { useEffect, useRef } from 'react';
import { FlowModal, type FlowModalProps } from './flow-modal';

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
  if (isServer()) return Promise.resolve(null);
  return new Promise((resolve) => {
    relay.run((client) => {
      let remove = () => {};
      const close = (snapshot: FlowTerminalSnapshot | null) => {
        remove();
        options.onClosed?.(snapshot);
        resolve(snapshot);
      };
      remove = presentations.add(
        client,
        <Presented options={options} channelId={channelId} onClosed={close} onGone={() => resolve(null)} />,
      );
    });
  });
}

interface PresentedProps {
  options: PresentFlowOptions;
  channelId: string;
  onClosed: (snapshot: FlowTerminalSnapshot | null) => void;
  /** The provider went away with what it had presented. */
  onGone: () => void;
}

function Presented({ options, channelId, onClosed, onGone }: PresentedProps) {
  const gone = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    clearTimeout(gone.current);
    return () => {
      // One task later, so that React's double mount is not taken for the end.
      gone.current = setTimeout(onGone, 0);
    };
  }, [onGone]);
  return <FlowModal {...options} channelId={channelId} onClosed={onClosed} />;
}

/**
 * Presents the flow that a link asks for by `?svc.channel=ch_…`, as links in mails and QR codes do. The parameter
 * leaves the address of the page, so that a reload does not present it again.
 *
 * @param href default: the address of the page
 * @returns as {@link presentFlow}; null as well when the link asks for none
 */
export function presentFlowLink(
  href: string = isServer() ? '' : window.location.href,
  options: PresentFlowOptions = {},
): Promise<FlowTerminalSnapshot | null> {
  const channelId = channelOfFlowLink(href);
  if (channelId === null) return Promise.resolve(null);
  if (!isServer() && href === window.location.href) {
    const url = new URL(href);
    url.searchParams.delete(FLOW_LINK_PARAM);
    // Not through a router's wrapper: it is still the same page.
    History.prototype.replaceState.call(window.history, window.history.state, '', url);
  }
  return presentFlow(channelId, options);
}

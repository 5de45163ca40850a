import type { FlowTerminalSnapshot } from '@svc/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { isServer } from '../host/environment';
import { relay } from '../provider/relay';
import { presentations } from './presentations';

/**
 * Puts something above the app until it closes itself, through the provider that is mounted or mounts next.
 *
 * @param draw makes it, given what ends it
 * @returns what it was closed with; null when its provider went away, and on a server. Never rejects.
 */
export function present(
  draw: (close: (snapshot: FlowTerminalSnapshot | null) => void) => ReactNode,
): Promise<FlowTerminalSnapshot | null> {
  if (isServer()) return Promise.resolve(null);
  return new Promise((resolve) => {
    relay.run((client) => {
      let remove = () => {};
      const close = (snapshot: FlowTerminalSnapshot | null) => {
        remove();
        resolve(snapshot);
      };
      remove = presentations.add(client, <Presented onGone={() => close(null)}>{draw(close)}</Presented>);
    });
  });
}

/** Tells when the provider went away with what it had presented. */
function Presented({ onGone, children }: { onGone: () => void; children: ReactNode }) {
  const gone = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    clearTimeout(gone.current);
    return () => {
      // One task later, so that React's double mount is not taken for the end.
      gone.current = setTimeout(onGone, 0);
    };
  }, [onGone]);
  return children;
}

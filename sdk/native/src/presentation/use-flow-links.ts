import { useEffect, useRef } from 'react';
import { Linking } from 'react-native';
import { type PresentFlowOptions, presentFlowLink } from './present-flow';

/** The address that the app was opened with counts once, however often components come and go. */
let tookInitialLink = false;

/**
 * Presents the flows of links that open the app or reach it while it runs (see {@link presentFlowLink}). All other
 * links are left to the app. Use it in one component that stays mounted.
 */
export function useFlowLinks(options?: PresentFlowOptions): void {
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  useEffect(() => {
    let mounted = true;
    const take = (href: string) => void presentFlowLink(href, latest.current);
    Linking.getInitialURL().then(
      (href) => {
        if (!mounted || tookInitialLink || href === null) return;
        tookInitialLink = true;
        take(href);
      },
      () => undefined,
    );
    const subscription = Linking.addEventListener('url', ({ url }) => take(url));
    return () => {
      mounted = false;
      subscription.remove();
    };
  }, []);
}

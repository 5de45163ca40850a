import { type DependencyList, type EffectCallback, useEffect, useLayoutEffect } from 'react';
import { isServer } from '../host/environment';

/** `useLayoutEffect` where there is a layout; on a server, where React 18 warns of it, an effect that never runs. */
export function useIsomorphicLayoutEffect(effect: EffectCallback, dependencies?: DependencyList): void {
  // Where it runs never changes between two renders of one component.
  (isServer() ? useEffect : useLayoutEffect)(effect, dependencies);
}

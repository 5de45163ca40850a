import { useEffect, useLayoutEffect } from 'react';
import { isServer } from '../host/environment';

/** `useLayoutEffect` where there is a layout; on a server it would only warn. */
export const useIsomorphicLayoutEffect = isServer() ? useEffect : useLayoutEffect;

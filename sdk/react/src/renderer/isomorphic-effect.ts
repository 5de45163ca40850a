import { useEffect, useLayoutEffect } from 'react';

/** `useLayoutEffect` where there is a layout; on a server it would only warn. */
export const useIsomorphicLayoutEffect = typeof window === 'undefined' ? useEffect : useLayoutEffect;

import { createContext, createElement, type ReactNode, useContext, useMemo } from 'react';

export interface MotionPolicy {
  /** Shows end states instead of movement. Default: what the visitor's system asks for. */
  reduced?: boolean;
  /** Freezes every screen at this many milliseconds after it appeared; editors scrub with it. */
  timeMs?: number;
}

const MotionContext = /* @__PURE__ */ createContext<MotionPolicy>({});

/** Sets how the flows below it move. */
export function MotionProvider({ reduced, timeMs, children }: MotionPolicy & { children?: ReactNode }) {
  const policy = useMemo<MotionPolicy>(
    () => ({ ...(reduced === undefined ? {} : { reduced }), ...(timeMs === undefined ? {} : { timeMs }) }),
    [reduced, timeMs],
  );
  return createElement(MotionContext.Provider, { value: policy }, children);
}

/**
 * Whether to reduce motion, and the moment that everything is frozen at, if any.
 *
 * @param system whether the visitor's system asks for less motion
 */
export function useMotionPolicy(system: boolean): { reduced: boolean; timeMs: number | undefined } {
  const { reduced, timeMs } = useContext(MotionContext);
  return { reduced: reduced ?? system, timeMs };
}

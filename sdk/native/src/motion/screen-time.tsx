import { hasMotion, type RenderContext } from '@svc/react-core';
import { createContext, type ReactNode, useContext, useEffect } from 'react';
import {
  cancelAnimation,
  Easing,
  ReduceMotion,
  type SharedValue,
  useSharedValue,
  withTiming,
} from 'react-native-reanimated';
import { planEndMs } from './motion-plan';

const ScreenTimeContext = createContext<SharedValue<number> | null>(null);

/** Milliseconds since the screen appeared, as the thread that draws counts them. */
export function useScreenTime(): SharedValue<number> {
  const time = useContext(ScreenTimeContext);
  if (!time) throw new Error('A layer can only be drawn inside a LayerRenderer.');
  return time;
}

/** Motion without an end runs for a day; nobody looks at a screen for longer. */
const LONGEST_MS = 86_400_000;

/** Counts the time of one visit of a screen while anything on it moves. */
export function ScreenTime({ context, children }: { context: RenderContext; children: ReactNode }) {
  const time = useSharedValue(0);
  const { screen, layers, interactive, reducedMotion, frozenMs } = context;
  const runs = interactive && !reducedMotion && frozenMs === undefined;
  const ends = layers.filter((layer) => hasMotion(screen, layer)).map((layer) => planEndMs(screen, layer));
  const duration = Math.min(LONGEST_MS, Math.max(0, ...ends));
  useEffect(() => {
    if (!runs || duration === 0) return undefined;
    // Whether to move at all is decided above, by what the host and the visitor's system want.
    const config = { easing: Easing.linear, reduceMotion: ReduceMotion.Never };
    time.value = withTiming(duration, { ...config, duration: duration - time.value });
    return () => cancelAnimation(time);
  }, [runs, duration, time]);
  return <ScreenTimeContext.Provider value={time}>{children}</ScreenTimeContext.Provider>;
}

import type { LoaderLayer } from '@svc/core';
import { isManualSubmitInput, loaderEndMs, loaderProgress } from '@svc/core/internal';
import { useEffect, useRef } from 'react';
import { useRender } from '../renderer/render-context';

/** Runs `draw` with the loader's share, 0 to 1, until it is full, and follows its `onComplete` once. */
export function useLoader(layer: LoaderLayer, draw: (share: number) => void): void {
  const { clock, interactive, frozenMs, layers, finish } = useRender();
  const latest = useRef({ draw, finish });
  useEffect(() => {
    latest.current = { draw, finish };
  });
  // An input that waits for Continue must not be swept away by a loader on the same screen.
  const leads = interactive && frozenMs === undefined && !layers.some(isManualSubmitInput);
  const finished = useRef(false);

  useEffect(() => {
    if (frozenMs !== undefined || !interactive) {
      latest.current.draw(loaderProgress(layer, frozenMs ?? Number.POSITIVE_INFINITY));
      return undefined;
    }
    return clock.add((elapsed) => {
      latest.current.draw(loaderProgress(layer, elapsed));
      return elapsed < loaderEndMs(layer);
    });
  }, [clock, layer, interactive, frozenMs]);

  useEffect(() => {
    if (!leads || finished.current) return undefined;
    const timer = setTimeout(() => {
      finished.current = true;
      latest.current.finish(layer.onComplete);
    }, loaderEndMs(layer));
    return () => clearTimeout(timer);
  }, [leads, layer]);
}

import type { OnComplete } from '@svc/core';
import { useCallback, useEffect, useRef } from 'react';
import { useRender } from '../renderer/render-context';

interface Playback {
  loop?: boolean;
  onComplete?: OnComplete;
}

/**
 * Registers a player for `play_media` buttons and reports its end: once, and only when it does not loop.
 *
 * @param play starts from the beginning unless it is already playing
 */
export function usePlayer(id: string, { loop, onComplete }: Playback, play: () => void): () => void {
  const { players, interactive, finish } = useRender();
  const latest = useRef({ play, finish });
  useEffect(() => {
    latest.current = { play, finish };
  });
  useEffect(() => players.register(id, () => latest.current.play()), [players, id]);
  const ended = useRef(false);
  return useCallback(() => {
    if (loop !== false || !interactive || ended.current) return;
    ended.current = true;
    latest.current.finish(onComplete);
  }, [loop, interactive, onComplete]);
}

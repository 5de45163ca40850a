import type { Fit, OnComplete } from '@svc/core';
import { usePlayer, useRender } from '@svc/react-core';
import { useEffect, useRef } from 'react';
import { useStyleProps } from '../style/server-sheet';

interface FilmProps {
  playerId: string;
  url: string;
  fit: Fit;
  loop?: boolean | undefined;
  autoPlay?: boolean | undefined;
  audioEnabled?: boolean | undefined;
  onComplete?: OnComplete | undefined;
}

function start(element: HTMLVideoElement): void {
  element.play()?.catch(() => {
    // Browsers refuse sound before the visitor has touched the page.
    element.muted = true;
    element.play()?.catch(() => undefined);
  });
}

/** A video that fills its box. */
export function Film({ playerId, url, fit, loop, autoPlay, audioEnabled, onComplete }: FilmProps) {
  const styleProps = useStyleProps();
  const { interactive, reducedMotion } = useRender();
  const video = useRef<HTMLVideoElement>(null);
  const muted = audioEnabled !== true;
  // A film that leads on when it ends has to run, or the flow would stand still; endless ones may rest.
  const starts = interactive && autoPlay !== false && !(reducedMotion && loop !== false);

  const ended = usePlayer(
    playerId,
    { ...(loop === undefined ? {} : { loop }), ...(onComplete ? { onComplete } : {}) },
    () => {
      const element = video.current;
      if (!element || (!element.paused && !element.ended)) return;
      element.currentTime = 0;
      start(element);
    },
  );

  useEffect(() => {
    const element = video.current;
    if (!element) return;
    // React does not write the attribute, and browsers look at it before they allow a film to start by itself.
    element.muted = muted;
    if (starts) start(element);
    else element.pause();
  }, [muted, starts]);

  return (
    <video
      ref={video}
      src={url}
      muted={muted}
      loop={loop !== false}
      playsInline
      preload={starts ? 'auto' : 'metadata'}
      controls={interactive && reducedMotion && autoPlay !== false && loop !== false}
      onEnded={ended}
      {...styleProps({
        position: 'absolute',
        inset: 0,
        width: '100%',
        height: '100%',
        objectFit: fit,
        display: 'block',
      })}
    />
  );
}

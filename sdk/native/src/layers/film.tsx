import type { Fit, OnComplete } from '@svc/core';
import { usePlayer, useRender } from '@svc/react-core';
import { useRef } from 'react';
import { StyleSheet, View } from 'react-native';
import type { FilmHandle } from '../adapters/adapters';
import { useAdapters } from '../adapters/adapters-context';

interface FilmLayerProps {
  playerId: string;
  url: string;
  fit: Fit;
  loop?: boolean | undefined;
  autoPlay?: boolean | undefined;
  audioEnabled?: boolean | undefined;
  onComplete?: OnComplete | undefined;
}

/** A film of the flavour that fills the box around it. */
export function Film({ playerId, url, fit, loop, autoPlay, audioEnabled, onComplete }: FilmLayerProps) {
  const { interactive, reducedMotion } = useRender();
  const { Film: FlavourFilm } = useAdapters();
  const handle = useRef<FilmHandle>(null);
  // A film that leads on when it ends has to run, or the flow would stand still; endless ones may rest.
  const playing = interactive && autoPlay !== false && !(reducedMotion && loop !== false);
  const ended = usePlayer(
    playerId,
    { ...(loop === undefined ? {} : { loop }), ...(onComplete ? { onComplete } : {}) },
    () => handle.current?.play(),
  );
  return (
    <View style={StyleSheet.absoluteFill}>
      <FlavourFilm
        handle={handle}
        url={url}
        fit={fit}
        loop={loop !== false}
        muted={audioEnabled !== true}
        playing={playing}
        onEnd={ended}
      />
    </View>
  );
}

import type { FilmProps } from '@svc/native/sdk';
import { useEffect, useImperativeHandle, useRef, useState } from 'react';
import { StyleSheet } from 'react-native';
import type { VideoRef } from 'react-native-video';
import { loadVideo } from './modules';

type VideoComponent = NonNullable<ReturnType<typeof loadVideo>>;

let loaded: VideoComponent | null | undefined;

/** A film, played by `react-native-video`; nothing in a build without it. */
export function Film(props: FilmProps) {
  if (loaded === undefined) loaded = loadVideo();
  return loaded && <Playing {...props} Video={loaded} />;
}

function Playing({ Video, url, fit, loop, muted, playing, onEnd, handle }: FilmProps & { Video: VideoComponent }) {
  const video = useRef<VideoRef>(null);
  const [running, setRunning] = useState(playing);
  useEffect(() => setRunning(playing), [playing]);
  useImperativeHandle(
    handle,
    () => ({
      play: () => {
        if (running) return;
        video.current?.seek(0);
        setRunning(true);
      },
    }),
    [running],
  );
  return (
    <Video
      ref={video}
      source={{ uri: url }}
      resizeMode={fit === 'fill' ? 'stretch' : fit}
      repeat={loop}
      muted={muted}
      paused={!running}
      // A film without sound must not silence what the person listens to.
      disableFocus={muted}
      {...(muted ? { mixWithOthers: 'mix' as const } : {})}
      onEnd={() => {
        if (loop) return;
        setRunning(false);
        onEnd?.();
      }}
      style={StyleSheet.absoluteFill}
    />
  );
}

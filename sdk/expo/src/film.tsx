import type { FilmProps } from '@svc/native/sdk';
import { useEffect, useImperativeHandle, useRef } from 'react';
import { StyleSheet } from 'react-native';
import { loadVideo } from './modules';

type VideoModule = NonNullable<ReturnType<typeof loadVideo>>;

let loaded: VideoModule | null | undefined;

/** A film, played by `expo-video`; nothing in a build without it. */
export function Film(props: FilmProps) {
  if (loaded === undefined) loaded = loadVideo();
  return loaded && <Playing {...props} video={loaded} />;
}

function Playing({ video, url, fit, loop, muted, playing, onEnd, handle }: FilmProps & { video: VideoModule }) {
  const { useVideoPlayer, VideoView } = video;
  const player = useVideoPlayer(url);
  const latest = useRef(onEnd);
  useEffect(() => {
    latest.current = onEnd;
  });
  useEffect(() => {
    player.loop = loop;
    player.muted = muted;
    // A film without sound must not silence what the person listens to.
    player.audioMixingMode = muted ? 'mixWithOthers' : 'auto';
  }, [player, loop, muted]);
  useEffect(() => {
    if (playing) player.play();
    else player.pause();
  }, [player, playing]);
  useEffect(() => {
    const subscription = player.addListener('playToEnd', () => {
      if (!player.loop) latest.current?.();
    });
    return () => subscription.remove();
  }, [player]);
  useImperativeHandle(
    handle,
    () => ({
      play: () => {
        if (player.playing) return;
        player.replay();
        player.play();
      },
    }),
    [player],
  );
  return <VideoView player={player} contentFit={fit} nativeControls={false} style={StyleSheet.absoluteFill} />;
}

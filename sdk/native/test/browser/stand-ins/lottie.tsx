import lottie, { type AnimationItem } from 'lottie-web';
import { forwardRef, useEffect, useImperativeHandle, useRef } from 'react';
import { type StyleProp, View, type ViewStyle } from 'react-native';

interface Props {
  source: { uri: string };
  autoPlay: boolean;
  loop: boolean;
  progress?: number;
  resizeMode: 'cover' | 'contain' | 'center';
  style: StyleProp<ViewStyle>;
  onAnimationLoaded?: () => void;
  onAnimationFinish?: (isCancelled: boolean) => void;
}

const ASPECT = { cover: 'xMidYMid slice', contain: 'xMidYMid meet', center: 'xMidYMid' };

/** Plays with the web's player what devices play with theirs. */
export default forwardRef<{ play(): void; reset(): void }, Props>(function Lottie(props, ref) {
  const { source, autoPlay, loop, progress, resizeMode, style } = props;
  const host = useRef<View>(null);
  const item = useRef<AnimationItem>(undefined);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  useImperativeHandle(ref, () => ({
    play: () => item.current?.play(),
    reset: () => item.current?.goToAndStop(0, true),
  }));
  useEffect(() => {
    const animation = lottie.loadAnimation({
      container: host.current as unknown as Element,
      renderer: 'svg',
      path: source.uri,
      loop,
      autoplay: autoPlay,
      rendererSettings: { preserveAspectRatio: ASPECT[resizeMode] },
    });
    item.current = animation;
    animation.addEventListener('DOMLoaded', () => {
      if (progress !== undefined) animation.goToAndStop(Math.max(0, progress * animation.totalFrames - 1), true);
      latest.current.onAnimationLoaded?.();
    });
    animation.addEventListener('complete', () => latest.current.onAnimationFinish?.(false));
    return () => animation.destroy();
  }, [source.uri, loop, autoPlay, progress, resizeMode]);
  return <View ref={host} style={style} />;
});

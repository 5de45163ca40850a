/// <reference path="./lottie-light.d.ts" />
// A part of its own, with the player: few flows have an animation.
import type { AnimationItem } from 'lottie-web';
import lottie from 'lottie-web/build/player/esm/lottie_light.min.js';

interface Animation {
  container: HTMLElement;
  url: string;
  fit: keyof typeof ASPECT;
  loop: boolean;
  autoPlay: boolean;
  interactive: boolean;
  reducedMotion: boolean;
  ended: () => void;
}

const ASPECT = { contain: 'xMidYMid meet', cover: 'xMidYMid slice', fill: 'none' } as const;

export function playAnimation(animation: Animation): AnimationItem {
  const { container, url, fit, loop, autoPlay, interactive, reducedMotion, ended } = animation;
  const moves = interactive && autoPlay && !reducedMotion;
  const item = lottie.loadAnimation({
    container,
    renderer: 'svg',
    path: url,
    loop,
    autoplay: moves,
    rendererSettings: { preserveAspectRatio: ASPECT[fit] },
  });
  item.addEventListener('complete', ended);
  item.addEventListener('DOMLoaded', () => {
    if (moves || !autoPlay) return;
    // The last frame stands for an animation that does not run; whatever waits for its end goes on.
    item.goToAndStop(Math.max(0, item.totalFrames - 1), true);
    if (interactive) ended();
  });
  return item;
}

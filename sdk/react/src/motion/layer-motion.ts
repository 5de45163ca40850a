import {
  entranceEndMs,
  type Layer,
  type RestingSample,
  restingMotions,
  restingPhase,
  restingStartMs,
  type Screen,
  sampleClips,
  sampleResting,
} from '@svc/core';
import type { CSSProperties } from 'react';

/** What motion adds to a layer's box at one moment. */
export interface MotionStyle {
  transform: string | undefined;
  /** Multiplies the box's own opacity. */
  opacity: number;
}

const px = (value: number): string => `${round(value)}px`;
const round = (value: number): number => Math.round(value * 1000) / 1000;

function restingTransform(sample: RestingSample): string[] {
  const parts: string[] = [];
  if (sample.translateXPercent !== undefined || sample.translateYPercent !== undefined) {
    parts.push(`translate(${round(sample.translateXPercent ?? 0)}%, ${round(sample.translateYPercent ?? 0)}%)`);
  }
  if (sample.translateX !== undefined || sample.translateY !== undefined) {
    parts.push(`translate(${px(sample.translateX ?? 0)}, ${px(sample.translateY ?? 0)})`);
  }
  if (sample.rotate !== undefined) parts.push(`rotate(${round(sample.rotate)}deg)`);
  if (sample.scale !== undefined) parts.push(`scale(${round(sample.scale)})`);
  return parts;
}

/** Whether a layer ever moves on this screen. */
export function hasMotion(screen: Screen, layer: Layer): boolean {
  return restingMotions(layer).length > 0 || (screen.animations ?? []).some((clip) => clip.targetLayerId === layer.id);
}

/** The motion of a layer at a moment; several resting motions nest in their order. `Infinity` is the end state. */
export function motionAt(screen: Screen, layer: Layer, elapsedMs: number): MotionStyle {
  const clip = sampleClips(screen, layer.id, elapsedMs);
  const parts: string[] = [];
  let opacity = clip.opacity ?? 1;
  if (clip.translateX !== undefined || clip.translateY !== undefined) {
    parts.push(`translate(${px(clip.translateX ?? 0)}, ${px(clip.translateY ?? 0)})`);
  }
  if (clip.scale !== undefined) parts.push(`scale(${round(clip.scale)})`);
  for (const motion of restingMotions(layer)) {
    const phase = restingPhase(motion, restingStartMs(motion, screen, layer.id), elapsedMs);
    if (phase === null) continue;
    const sample = sampleResting(motion, phase);
    parts.push(...restingTransform(sample));
    opacity *= sample.opacity ?? 1;
  }
  return { transform: parts.length > 0 ? parts.join(' ') : undefined, opacity };
}

/** When a layer has come to rest, in ms after the screen appeared; `Infinity` when it never does. */
export function motionEndMs(screen: Screen, layer: Layer): number {
  const clips = (screen.animations ?? []).filter((clip) => clip.targetLayerId === layer.id);
  const ends = restingMotions(layer).map((motion) => {
    if (motion.loop) return Number.POSITIVE_INFINITY;
    return restingStartMs(motion, screen, layer.id) + LONGEST_SEGMENT_MS;
  });
  const exits = clips.map((clip) => (clip.delayMs ?? 0) + clip.durationMs);
  return Math.max(entranceEndMs(screen, layer.id), 0, ...ends, ...exits);
}

/** Upper limit of a resting motion's segment (manifest.md §9.4). */
const LONGEST_SEGMENT_MS = 20_000;

export function motionCss(motion: MotionStyle, ownOpacity: number): CSSProperties {
  const opacity = ownOpacity * motion.opacity;
  return {
    ...(motion.transform ? { transform: motion.transform } : {}),
    ...(opacity === 1 ? {} : { opacity }),
  };
}

import type { Layer, Screen } from '@svc/core';
import {
  entranceEndMs,
  type RestingSample,
  restingMotions,
  restingPhase,
  restingStartMs,
  sampleClips,
  sampleResting,
} from '@svc/core/internal';

/** One step of a transform, as CSS and React Native both apply them: in their order. */
export type MotionStep =
  | { kind: 'translate'; x: number; y: number; unit: '%' | 'px' }
  | { kind: 'rotate'; degrees: number }
  | { kind: 'scale'; factor: number };

/** What motion adds to a layer's box at one moment. */
export interface MotionStyle {
  /** Steps of the transform, the outermost first. Percentages are of the box itself. */
  transform: MotionStep[];
  /** Multiplies the box's own opacity. */
  opacity: number;
}

const round = (value: number): number => Math.round(value * 1000) / 1000;

function translate(unit: '%' | 'px', x: number | undefined, y: number | undefined): MotionStep[] {
  if (x === undefined && y === undefined) return [];
  return [{ kind: 'translate', x: round(x ?? 0), y: round(y ?? 0), unit }];
}

function restingTransform(sample: RestingSample): MotionStep[] {
  return [
    ...translate('%', sample.translateXPercent, sample.translateYPercent),
    ...translate('px', sample.translateX, sample.translateY),
    ...(sample.rotate === undefined ? [] : [{ kind: 'rotate' as const, degrees: round(sample.rotate) }]),
    ...(sample.scale === undefined ? [] : [{ kind: 'scale' as const, factor: round(sample.scale) }]),
  ];
}

/** Whether a layer ever moves on this screen. */
export function hasMotion(screen: Screen, layer: Layer): boolean {
  return restingMotions(layer).length > 0 || (screen.animations ?? []).some((clip) => clip.targetLayerId === layer.id);
}

/** The motion of a layer at a moment; several resting motions nest in their order. `Infinity` is the end state. */
export function motionAt(screen: Screen, layer: Layer, elapsedMs: number): MotionStyle {
  const clip = sampleClips(screen, layer.id, elapsedMs);
  const transform = translate('px', clip.translateX, clip.translateY);
  if (clip.scale !== undefined) transform.push({ kind: 'scale', factor: round(clip.scale) });
  let opacity = clip.opacity ?? 1;
  for (const motion of restingMotions(layer)) {
    const phase = restingPhase(motion, restingStartMs(motion, screen, layer.id), elapsedMs);
    if (phase === null) continue;
    const sample = sampleResting(motion, phase);
    transform.push(...restingTransform(sample));
    opacity *= sample.opacity ?? 1;
  }
  return { transform, opacity };
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

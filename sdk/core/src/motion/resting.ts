import type { Layer, RestingMotion, Screen } from '../manifest/types';
import { entranceEndMs } from './clip';

/** What one resting motion does to a layer at one moment; absent members are untouched. */
export interface RestingSample {
  /** Share of the layer's own box, as a percentage. */
  translateXPercent?: number;
  translateYPercent?: number;
  /** px */
  translateX?: number;
  translateY?: number;
  scale?: number;
  /** Degrees. */
  rotate?: number;
  /** Multiplies the opacity of the layer. */
  opacity?: number;
}

/** Length in ms of a segment and of a cycle where the author set none. */
const DEFAULT_MS: Readonly<Record<RestingMotion['preset'], number>> = {
  translate: 2400,
  bounce: 2000,
  scale: 2200,
  pulse: 1800,
  rotate: 3200,
};
const MAX_PERCENT = 200;
const DEFAULT_TRANSLATE_Y_PERCENT = 6;
const DEFAULT_SCALE_PERCENT = 8;
const DEFAULT_ROTATE_DEG = 5;
const DEFAULT_BOUNCE_PX = 14;
/** How much of the opacity a pulse of intensity 1 takes away. */
const DEFAULT_PULSE_DEPTH = 0.38;

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/** The motions of a layer: the list when it is not empty, else the single one of older manifests. */
export function restingMotions(layer: Pick<Layer, 'restingMotion' | 'restingMotions'>): readonly RestingMotion[] {
  if (layer.restingMotions && layer.restingMotions.length > 0) return layer.restingMotions;
  return layer.restingMotion ? [layer.restingMotion] : [];
}

/** When a motion starts, in ms after the screen appeared. */
export function restingStartMs(
  motion: RestingMotion,
  screen: Pick<Screen, 'animations' | 'stagger'>,
  layerId: string,
): number {
  return motion.timelineStartMs ?? entranceEndMs(screen, layerId) + (motion.delayMsAfterMountEnd ?? 0);
}

/** Length of one segment in ms, or of one cycle of a motion that loops. */
export function restingSegmentMs(motion: RestingMotion): number {
  const fallback = DEFAULT_MS[motion.preset];
  if (motion.preset !== 'scale') return (motion.loop ? motion.cycleDurationMs : motion.durationMs) ?? fallback;
  const pattern = motion.scalePatternDurationMs ?? motion.cycleDurationMs ?? fallback;
  return motion.loop ? pattern : (motion.durationMs ?? pattern);
}

/** Phase 0 to 1 at `t` in ms after the screen appeared; null before the start and, without a loop, after the end. */
export function restingPhase(motion: RestingMotion, startMs: number, t: number): number | null {
  const local = t - startMs;
  if (local < 0 || !Number.isFinite(local)) return null;
  const segment = restingSegmentMs(motion);
  if (!motion.loop) return local < segment ? clamp(local / segment, 0, 1) : null;
  return (local % segment) / segment;
}

/** Out and back on a straight line. */
const triangle = (p: number): number => 1 - Math.abs(2 * p - 1);

/** What a motion does at phase `p` (runtime.md §11). */
export function sampleResting(motion: RestingMotion, p: number): RestingSample {
  const i = motion.intensity ?? 1;
  const swing = (springBack: boolean | undefined): number => (springBack === false ? p : Math.sin(Math.PI * p));
  switch (motion.preset) {
    case 'translate':
      return sampleTranslate(motion, i * swing(motion.translateSpringBack));
    case 'bounce':
      return { translateY: -(motion.bounceAmplitudePx ?? DEFAULT_BOUNCE_PX * i) * Math.sin(Math.PI * p) };
    case 'scale': {
      const legacy = motion.scaleDirection === 'down' ? motion.scaleDownPercent : motion.scaleUpPercent;
      const percent = motion.scalePercent ?? legacy ?? DEFAULT_SCALE_PERCENT;
      const sign = motion.scaleDirection === 'down' ? -1 : 1;
      const peak = Math.max(0, 1 + (sign * percent * i) / 100);
      return { scale: 1 + (peak - 1) * (motion.scaleSpringBack === false ? p : triangle(p)) };
    }
    case 'pulse': {
      const min = motion.pulseMinOpacity ?? clamp(1 - DEFAULT_PULSE_DEPTH * i, 0, 1);
      return { opacity: 1 - (1 - min) * triangle(p) };
    }
    case 'rotate': {
      const degrees = clamp((motion.rotateMaxDeg ?? DEFAULT_ROTATE_DEG) * i, 0, 360);
      const sign = motion.rotateDirection === 'counterclockwise' ? -1 : 1;
      return { rotate: sign * degrees * swing(motion.rotateSpringBack) };
    }
  }
}

function sampleTranslate(motion: RestingMotion, share: number): RestingSample {
  const { translatePeakXPercent: x, translatePeakYPercent: y, translatePeakXPx, translatePeakYPx } = motion;
  if (x === undefined && y === undefined) {
    const px = motion.translatePeakXPx;
    const py = translatePeakYPx ?? motion.translateRangePx;
    if (px !== undefined || py !== undefined) {
      return { translateX: (translatePeakXPx ?? 0) * share, translateY: (py ?? 0) * share };
    }
  }
  const limit = (percent: number): number => clamp(percent, -MAX_PERCENT, MAX_PERCENT);
  const peakY = y ?? (x === undefined ? DEFAULT_TRANSLATE_Y_PERCENT : 0);
  return { translateXPercent: limit(x ?? 0) * share, translateYPercent: limit(peakY) * share };
}

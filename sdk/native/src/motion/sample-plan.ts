import type { ViewStyle } from 'react-native';
import type { MotionPlan } from './motion-plan';

// Everything here runs on the thread that draws as well as on React's, hence the directives.

/** Halvings of the search for the curve's parameter: more than a double can tell apart on a screen. */
const BISECTIONS = 24;

function coordinate(a: number, b: number, s: number): number {
  'worklet';
  const rest = 1 - s;
  return 3 * rest * rest * s * a + 3 * rest * s * s * b + s * s * s;
}

function onCurve(curve: readonly [number, number, number, number], x: number): number {
  'worklet';
  const [x1, y1, x2, y2] = curve;
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x1 === y1 && x2 === y2) return x;
  let low = 0;
  let high = 1;
  for (let i = 0; i < BISECTIONS; i += 1) {
    const middle = (low + high) / 2;
    if (coordinate(x1, x2, middle) < x) low = middle;
    else high = middle;
  }
  return coordinate(y1, y2, (low + high) / 2);
}

type Frames = MotionPlan['clips'][number]['tracks'][number]['frames'];

function frameValue(frames: Frames, t: number): number {
  'worklet';
  for (let i = 0; i < frames.length; i += 1) {
    const to = frames[i];
    // The later of two keyframes at one place wins, so a jump shows its new value.
    if (!to || to.t <= t) continue;
    const from = frames[i - 1];
    if (!from) return to.value;
    return from.value + (to.value - from.value) * onCurve(from.curve, (t - from.t) / (to.t - from.t));
  }
  return frames[frames.length - 1]?.value ?? 0;
}

interface ClipValues {
  opacity?: number;
  translateX?: number;
  translateY?: number;
  scale?: number;
}

function sampleClips(clips: MotionPlan['clips'], t: number): ClipValues {
  'worklet';
  const settled = t === Number.POSITIVE_INFINITY;
  let animating = false;
  for (const clip of clips) {
    if (settled && clip.exit) continue;
    if (t >= clip.startMs && t < clip.startMs + clip.durationMs) animating = true;
  }
  const values: ClipValues = {};
  for (const clip of clips) {
    if (settled && clip.exit) continue;
    const local = t - clip.startMs;
    for (const track of clip.tracks) {
      if (local >= 0) {
        const share = clip.durationMs <= 0 ? 1 : Math.min(1, local / clip.durationMs);
        values[track.property] = frameValue(track.frames, share);
      } else if (!clip.exit && !animating) {
        values[track.property] = track.frames[0]?.value ?? 0;
      }
    }
  }
  return values;
}

/** Out of 1, how far a resting motion is from rest; 0 before it starts and after it has ended. */
function restShare(rest: MotionPlan['resting'][number], t: number): number | null {
  'worklet';
  const local = t - rest.startMs;
  if (local < 0 || !Number.isFinite(local)) return null;
  if (!rest.loop && local >= rest.segmentMs) return null;
  const phase = (rest.loop ? local % rest.segmentMs : local) / rest.segmentMs;
  if (rest.shape === 'ramp') return phase;
  return rest.shape === 'swing' ? Math.sin(Math.PI * phase) : 1 - Math.abs(2 * phase - 1);
}

type Step =
  | { translateX: number | `${number}%` }
  | { translateY: number | `${number}%` }
  | { rotate: string }
  | { scale: number };

function round(value: number): number {
  'worklet';
  return Math.round(value * 1000) / 1000;
}

/** What motion adds to a box at one moment: steps of its transform, outermost first, and a factor of its opacity. */
export interface MotionSample {
  transform: Step[];
  opacity: number;
}

/** The motion of a plan `t` ms after the screen appeared (runtime.md §11). `Infinity` is the end state. */
export function samplePlan(plan: MotionPlan, t: number): MotionSample {
  'worklet';
  const clip = sampleClips(plan.clips, t);
  const transform: Step[] = [];
  let opacity = clip.opacity ?? 1;
  if (clip.translateX !== undefined || clip.translateY !== undefined) {
    transform.push({ translateX: round(clip.translateX ?? 0) }, { translateY: round(clip.translateY ?? 0) });
  }
  if (clip.scale !== undefined) transform.push({ scale: round(clip.scale) });
  for (const rest of plan.resting) {
    const share = restShare(rest, t);
    if (share === null) continue;
    const { translateXPercent, translateYPercent, translateX, translateY, rotate, scale, opacity: faded } = rest.peak;
    if (translateXPercent !== undefined || translateYPercent !== undefined) {
      transform.push(
        { translateX: `${round((translateXPercent ?? 0) * share)}%` },
        { translateY: `${round((translateYPercent ?? 0) * share)}%` },
      );
    }
    if (translateX !== undefined || translateY !== undefined) {
      transform.push(
        { translateX: round((translateX ?? 0) * share) },
        { translateY: round((translateY ?? 0) * share) },
      );
    }
    if (rotate !== undefined) transform.push({ rotate: `${round(rotate * share)}deg` });
    if (scale !== undefined) transform.push({ scale: round(1 + (scale - 1) * share) });
    if (faded !== undefined) opacity *= 1 + (faded - 1) * share;
  }
  return { transform, opacity };
}

/** What a box has of its own beside its motion. */
export interface BoxAtRest {
  /** 0 to 1. */
  opacity: number;
  /** Degrees. */
  rotate: number;
}

/** Look of a pressed button (runtime.md §7). */
const PRESSED_SCALE = 0.97;
const PRESSED_OPACITY = 0.85;

/** The style of a box in motion. A press shrinks and fades it on top; `press` goes from 0 to 1. */
export function motionStyle(sample: MotionSample, box: BoxAtRest, press = 0): Pick<ViewStyle, 'opacity' | 'transform'> {
  'worklet';
  const outer: Step[] = [];
  // The box is turned before it moves, so a motion goes along its own axes.
  if (box.rotate !== 0) outer.push({ rotate: `${box.rotate}deg` });
  if (press !== 0) outer.push({ scale: 1 - (1 - PRESSED_SCALE) * press });
  return {
    opacity: box.opacity * sample.opacity * (1 - (1 - PRESSED_OPACITY) * press),
    transform: [...outer, ...sample.transform],
  };
}

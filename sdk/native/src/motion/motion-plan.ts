import type { Layer, RestingMotion, Screen } from '@svc/core';
import {
  clipStartMs,
  EASING_CURVES,
  entranceEndMs,
  layerClips,
  type RestingSample,
  restingMotions,
  restingSegmentMs,
  restingStartMs,
  sampleResting,
} from '@svc/core/internal';

type Property = 'opacity' | 'translateX' | 'translateY' | 'scale';

interface PlannedFrame {
  /** 0 to 1. */
  t: number;
  value: number;
  /** Control points of the curve to the next frame. */
  curve: readonly [number, number, number, number];
}

interface PlannedClip {
  startMs: number;
  durationMs: number;
  exit: boolean;
  tracks: { property: Property; frames: PlannedFrame[] }[];
}

/** How a resting motion goes from rest to its peak over its phase. */
type Shape = 'swing' | 'ramp' | 'triangle';

interface PlannedRest {
  startMs: number;
  segmentMs: number;
  loop: boolean;
  shape: Shape;
  /** The sample at the peak. */
  peak: RestingSample;
}

/**
 * The motion of a layer as plain numbers: the thread that draws can neither call into core nor see its objects, so
 * everything that takes rules to know is worked out before.
 */
export interface MotionPlan {
  clips: PlannedClip[];
  resting: PlannedRest[];
}

function shapeOf(motion: RestingMotion): Shape {
  switch (motion.preset) {
    case 'translate':
      return motion.translateSpringBack === false ? 'ramp' : 'swing';
    case 'rotate':
      return motion.rotateSpringBack === false ? 'ramp' : 'swing';
    case 'scale':
      return motion.scaleSpringBack === false ? 'ramp' : 'triangle';
    case 'pulse':
      return 'triangle';
    case 'bounce':
      return 'swing';
  }
}

export function motionPlan(screen: Screen, layer: Layer): MotionPlan {
  return {
    clips: layerClips(screen, layer.id).map((clip) => ({
      startMs: clipStartMs(clip, screen),
      durationMs: clip.durationMs,
      exit: clip.trigger === 'unmount',
      tracks: clip.tracks.map(({ property, keyframes }) => ({
        property,
        frames: keyframes.map(({ t, value, easing }) => ({
          t,
          value,
          curve: EASING_CURVES[easing ?? 'linear'] ?? EASING_CURVES.linear,
        })),
      })),
    })),
    resting: restingMotions(layer).map((motion) => {
      const shape = shapeOf(motion);
      return {
        startMs: restingStartMs(motion, screen, layer.id),
        segmentMs: restingSegmentMs(motion),
        loop: motion.loop === true,
        shape,
        peak: sampleResting(motion, shape === 'ramp' ? 1 : 0.5),
      };
    }),
  };
}

/** When a layer has come to rest, in ms after the screen appeared; `Infinity` when it never does. */
export function planEndMs(screen: Screen, layer: Layer): number {
  const { clips, resting } = motionPlan(screen, layer);
  return Math.max(
    0,
    entranceEndMs(screen, layer.id),
    ...clips.map((clip) => clip.startMs + clip.durationMs),
    ...resting.map((rest) => (rest.loop ? Number.POSITIVE_INFINITY : rest.startMs + rest.segmentMs)),
  );
}

import { loaderEndMs } from '../flow/progress';
import type { AnimationClip, AnimationTrack, Keyframe, Layer, Screen } from '../manifest/types';
import { ease } from './easing';

/** What entrance clips do to a layer at one moment; absent members are untouched. */
export interface ClipSample {
  opacity?: number;
  /** px */
  translateX?: number;
  translateY?: number;
  scale?: number;
}

/** Step between staggered layers in ms where the screen sets none. */
const DEFAULT_STAGGER_STEP_MS = 60;

/** When a clip starts, in ms after its screen appeared. */
export function clipStartMs(clip: AnimationClip, screen: Pick<Screen, 'stagger'>): number {
  const step = screen.stagger?.stepMs ?? DEFAULT_STAGGER_STEP_MS;
  return (clip.delayMs ?? 0) + (clip.trigger === 'stagger' ? (clip.staggerIndex ?? 0) * step : 0);
}

export function clipEndMs(clip: AnimationClip, screen: Pick<Screen, 'stagger'>): number {
  return clipStartMs(clip, screen) + clip.durationMs;
}

function trackValue(keyframes: readonly Keyframe[], t: number): number {
  const last = keyframes[keyframes.length - 1];
  // The later of two keyframes at one place wins, so a jump shows its new value.
  const next = keyframes.findIndex((frame) => frame.t > t);
  const to = next < 0 ? undefined : keyframes[next];
  const from = next < 0 ? last : keyframes[next - 1];
  if (!to || !from) return (to ?? from)?.value ?? 0;
  return from.value + (to.value - from.value) * ease(from.easing, (t - from.t) / (to.t - from.t));
}

function applyTracks(sample: ClipSample, tracks: readonly AnimationTrack[], t: number): void {
  for (const track of tracks) sample[track.property] = trackValue(track.keyframes, t);
}

function applyFirstKeyframes(sample: ClipSample, tracks: readonly AnimationTrack[]): void {
  for (const track of tracks) sample[track.property] = track.keyframes[0]?.value ?? 0;
}

/** The clips of a layer in order of their start, then of their id. */
export function layerClips(screen: Pick<Screen, 'animations' | 'stagger'>, layerId: string): AnimationClip[] {
  return (screen.animations ?? [])
    .filter((clip) => clip.targetLayerId === layerId)
    .sort((a, b) => clipStartMs(a, screen) - clipStartMs(b, screen) || (a.id < b.id ? -1 : 1));
}

/**
 * What the clips of a layer amount to at time `t` in ms after the screen appeared (runtime.md §11). Finished clips
 * keep their last values; a later clip overrides; an entrance that has not begun shows its first keyframe unless an
 * earlier clip is under way. `Infinity` gives the state in which the screen has settled: entrances done, exits not begun.
 */
export function sampleClips(screen: Pick<Screen, 'animations' | 'stagger'>, layerId: string, t: number): ClipSample {
  const sample: ClipSample = {};
  const settled = t === Number.POSITIVE_INFINITY;
  const clips = layerClips(screen, layerId).filter((clip) => !(settled && clip.trigger === 'unmount'));
  const animating = clips.some((clip) => t >= clipStartMs(clip, screen) && t < clipEndMs(clip, screen));
  for (const clip of clips) {
    const local = t - clipStartMs(clip, screen);
    if (local >= 0) applyTracks(sample, clip.tracks, clip.durationMs <= 0 ? 1 : Math.min(1, local / clip.durationMs));
    else if (clip.trigger !== 'unmount' && !animating) applyFirstKeyframes(sample, clip.tracks);
  }
  return sample;
}

/** When the last entrance clip of a layer ends, in ms after the screen appeared. Resting motion begins there. */
export function entranceEndMs(screen: Pick<Screen, 'animations' | 'stagger'>, layerId: string): number {
  const ends = layerClips(screen, layerId)
    .filter((clip) => clip.trigger !== 'unmount')
    .map((clip) => clipEndMs(clip, screen));
  return Math.max(0, ...ends);
}

/** Length of a screen's time line in ms: until every clip and every loader is done. */
export function screenTimelineMs(screen: Screen, layers: readonly Layer[]): number {
  const clips = (screen.animations ?? []).map((clip) => clipEndMs(clip, screen));
  const loaders = layers.map((layer) => (layer.kind === 'loader' ? loaderEndMs(layer) : 0));
  return Math.max(0, ...clips, ...loaders);
}

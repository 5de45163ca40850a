import { find } from '../../document/canonical';
import type { JsonObject } from '../../document/operation';

/** How far layers that move in turn are apart where the screen does not say (manifest.md §9.3). */
const stepMs = 60;

const number = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** When an animation begins, in ms after its screen opened, or began to close. */
export function startOf(clip: JsonObject, screen: JsonObject): number {
  const step = find(screen, ['stagger', 'stepMs']);
  const turn = clip.trigger === 'stagger' ? number(clip.staggerIndex) : 0;
  return number(clip.delayMs) + turn * (typeof step === 'number' ? step : stepMs);
}

export const endOf = (clip: JsonObject, screen: JsonObject): number => startOf(clip, screen) + number(clip.durationMs);

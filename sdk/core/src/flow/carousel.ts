import type { CarouselLayer, Layer } from '../manifest/types';

const MIN_SNAP_MS = 180;
const MAX_SNAP_MS = 400;
const FULL_SNAP_MS = 280;

export function initialSlide(layer: CarouselLayer): number {
  return Math.min(Math.max(layer.openOn ?? 0, 0), layer.slides.length - 1);
}

/** Width of one slide in px: the container without the peeks on both sides. */
export function slideWidth(containerWidth: number, peek: number): number {
  return Math.max(0, containerWidth - 2 * peek);
}

/** Slide nearest to a scroll offset, both in px. */
export function slideFromOffset(offset: number, interval: number, slides: number): number {
  if (interval <= 0) return 0;
  return Math.min(Math.max(Math.round(offset / interval), 0), slides - 1);
}

/** Length of a snap animation in ms for this distance in px. */
export function snapDurationMs(distance: number, interval: number): number {
  if (interval <= 0) return FULL_SNAP_MS;
  return Math.min(Math.max((Math.abs(distance) / interval) * FULL_SNAP_MS, MIN_SNAP_MS), MAX_SNAP_MS);
}

/** Next slide of the automatic advance; a carousel that does not loop stays on its last slide. */
export function autoAdvanceSlide(layer: CarouselLayer, index: number): number {
  if (index < layer.slides.length - 1) return index + 1;
  return layer.loop ? 0 : index;
}

/** Whether a button on the screen pages this carousel. */
export function hasAdvanceButton(layers: readonly Layer[], carouselId: string): boolean {
  return layers.some(
    (layer) =>
      layer.kind === 'button' && layer.action.kind === 'advance_carousel' && layer.action.targetLayerId === carouselId,
  );
}

/**
 * Whether arriving on `to` completes the carousel and with it the screen. A carousel that a button pages is
 * completed by that button alone (`onLast: complete`), else its last slide would leave the moment it appears.
 */
export function landingCompletes(layer: CarouselLayer, from: number, to: number, pagedByButton: boolean): boolean {
  const last = layer.slides.length - 1;
  return !pagedByButton && layer.loop !== true && last > 0 && to === last && from < to;
}

/** What an `advance_carousel` tap does. */
export function advanceCarousel(
  layer: CarouselLayer,
  index: number,
  onLast: 'noop' | 'complete' = 'noop',
): { kind: 'slide'; index: number } | { kind: 'complete' } | { kind: 'none' } {
  const last = layer.slides.length - 1;
  if (index < last) return { kind: 'slide', index: index + 1 };
  if (layer.loop) return last > 0 ? { kind: 'slide', index: 0 } : { kind: 'none' };
  return onLast === 'complete' && last > 0 ? { kind: 'complete' } : { kind: 'none' };
}

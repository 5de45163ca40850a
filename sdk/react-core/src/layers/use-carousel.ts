import type { CarouselLayer } from '@svc/core';
import {
  advanceCarousel,
  autoAdvanceSlide,
  hasAdvanceButton,
  initialSlide,
  landingCompletes,
  responsiveLayout,
} from '@svc/core/internal';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useRender } from '../renderer/render-context';

const AUTO_ADVANCE_MS = 4000;

/** Where a carousel stands and where it goes (runtime.md §5). */
export interface CarouselState {
  /** The slide that is shown. */
  index: number;
  layout: { pageAlignment: 'top' | 'center' | 'bottom'; pageSpacing: number; pagePeek: number };
  /** Takes note of the slide that the visitor has come to rest on. */
  land(index: number): void;
  /** Shows a slide. */
  goTo(index: number): void;
}

/**
 * Runs a carousel: its buttons, its automatic advance and its completion.
 *
 * @param page moves the pager to a slide
 * @param held whether someone reads or touches a slide and should not lose it
 */
export function useCarousel(layer: CarouselLayer, page: (index: number) => void, held: boolean): CarouselState {
  const { interactive, layers, respond, carousels, width } = useRender();
  const layout = responsiveLayout(
    {
      pageAlignment: layer.pageAlignment ?? ('center' as const),
      pageSpacing: layer.pageSpacing ?? 0,
      pagePeek: layer.pagePeek ?? 0,
    },
    layer.carouselLayoutBreakpoints,
    width,
  );
  const [index, setIndex] = useState(() => initialSlide(layer));
  const at = useRef(index);
  const completed = useRef(false);
  const latest = useRef(page);
  useEffect(() => {
    latest.current = page;
  });

  const complete = useCallback(() => {
    if (!interactive || completed.current) return;
    completed.current = true;
    respond({ kind: 'carousel' });
  }, [interactive, respond]);

  const land = useCallback(
    (next: number) => {
      const from = at.current;
      if (next === from) return;
      at.current = next;
      setIndex(next);
      if (landingCompletes(layer, from, next, hasAdvanceButton(layers, layer.id))) complete();
    },
    [layer, layers, complete],
  );

  const goTo = useCallback(
    (next: number) => {
      land(next);
      latest.current(next);
    },
    [land],
  );

  useEffect(
    () =>
      carousels.register(layer.id, (onLast) => {
        const step = advanceCarousel(layer, at.current, onLast);
        if (step.kind === 'slide') goTo(step.index);
        else if (step.kind === 'complete') complete();
      }),
    [carousels, layer, goTo, complete],
  );

  const last = layer.slides.length - 1;
  const stops = !layer.autoAdvance || (!layer.loop && index === last) || layer.slides.length < 2;
  // biome-ignore lint/correctness/useExhaustiveDependencies: every slide gets its full time, also after a swipe
  useEffect(() => {
    if (!interactive || stops || held) return undefined;
    const timer = setTimeout(() => goTo(autoAdvanceSlide(layer, at.current)), layer.autoAdvanceMs ?? AUTO_ADVANCE_MS);
    return () => clearTimeout(timer);
  }, [interactive, stops, held, layer, index, goTo]);

  return { index, layout, land, goTo };
}

import { FALLBACK_VIEWPORT_WIDTH } from '@svc/core/internal';
import { useIsomorphicLayoutEffect } from '@svc/react-core';
import { type RefObject, useState } from 'react';

/** Width of an element in px that breakpoints look at. A fixed width wins over measuring. */
export function useWidth(ref: RefObject<HTMLElement | null>, fixed: number | undefined): number {
  const [measured, setMeasured] = useState(FALLBACK_VIEWPORT_WIDTH);
  useIsomorphicLayoutEffect(() => {
    const element = ref.current;
    if (fixed !== undefined || !element) return undefined;
    const measure = () => {
      const width = element.getBoundingClientRect().width;
      // Without a layout (hidden, or no layout engine) there is nothing to learn.
      if (width > 0) setMeasured(width);
    };
    measure();
    if (typeof ResizeObserver === 'undefined') return undefined;
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref, fixed]);
  return fixed ?? measured;
}

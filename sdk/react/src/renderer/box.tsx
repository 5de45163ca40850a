import type { CommonStyle, Layer } from '@svc/core';
import {
  hasMotion,
  motionAt,
  motionEndMs,
  type RenderContext,
  useIsomorphicLayoutEffect,
  useRender,
} from '@svc/react-core';
import {
  type ComponentPropsWithoutRef,
  type CSSProperties,
  createElement,
  type ElementType,
  type Ref,
  useCallback,
  useEffect,
  useRef,
} from 'react';
import { motionCss } from '../motion/motion-css';
import { wholeOpacity } from '../style/box-css';
import { useStyleProps } from '../style/server-sheet';

/** The moment of the screen's time line to draw now. */
function moment({ frozenMs, reducedMotion, interactive, clock }: RenderContext): number {
  if (frozenMs !== undefined) return frozenMs;
  return reducedMotion || !interactive ? Number.POSITIVE_INFINITY : clock.elapsedMs;
}

type BoxProps<T extends ElementType> = {
  as?: T;
  layer: Layer;
  css: CSSProperties;
  /** Opacity of the layer itself. */
  opacity?: number;
  boxRef?: Ref<HTMLElement>;
  className?: string;
} & Omit<ComponentPropsWithoutRef<T>, 'style' | 'className'>;

/** Element of a layer: carries its styles and whatever motion the screen gives it. */
export function Box<T extends ElementType = 'div'>({
  as,
  layer,
  css,
  opacity = 1,
  boxRef,
  className,
  ...rest
}: BoxProps<T>) {
  const context = useRender();
  const styleProps = useStyleProps();
  const { screen, clock, frozenMs, reducedMotion, interactive } = context;
  const element = useRef<HTMLElement | null>(null);
  const moves = hasMotion(screen, layer);
  const runs = moves && frozenMs === undefined && !reducedMotion && interactive;
  const assign = useCallback(
    (node: HTMLElement | null) => {
      element.current = node;
      if (typeof boxRef === 'function') boxRef(node);
      else if (boxRef) boxRef.current = node;
    },
    [boxRef],
  );

  // React knows nothing of the frames drawn below, so each render may have put back an older one.
  useIsomorphicLayoutEffect(() => {
    if (runs && element.current) draw(element.current, motionCss(motionAt(screen, layer, clock.elapsedMs), opacity));
  });
  useEffect(() => {
    if (!runs) return undefined;
    const end = motionEndMs(screen, layer);
    return clock.add((elapsed) => {
      if (element.current) draw(element.current, motionCss(motionAt(screen, layer, elapsed), opacity));
      return elapsed < end;
    });
  }, [runs, screen, layer, clock, opacity]);

  const drawn = moves ? motionCss(motionAt(screen, layer, runs ? 0 : moment(context)), opacity) : opacityCss(opacity);
  return createElement(as ?? 'div', {
    ...rest,
    ref: assign,
    'data-layer': layer.id,
    ...styleProps({ ...css, ...drawn }, className),
  });
}

function opacityCss(opacity: number): CSSProperties {
  return opacity === 1 ? {} : { opacity };
}

function draw(element: HTMLElement, css: CSSProperties): void {
  element.style.transform = css.transform ?? '';
  element.style.opacity = css.opacity === undefined ? '' : String(css.opacity);
}

/** Opacity of a layer, faded further while it is disabled. */
export function layerOpacity(style: CommonStyle, disabled = false): number {
  return wholeOpacity(style) * (disabled ? DISABLED_OPACITY : 1);
}

const DISABLED_OPACITY = 0.5;

import type { CarouselLayer, PageControl } from '@svc/core';
import { initialSlide, slideFromOffset, slideWidth } from '@svc/core/internal';
import {
  AxisContext,
  dotLook,
  dotSpacing,
  type RenderContext,
  useAxis,
  useCarousel,
  useIsomorphicLayoutEffect,
  useLayerStyle,
  useRender,
} from '@svc/react-core';
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react';
import { Box, layerOpacity } from '../renderer/box';
import { borderCss, boxCss, marginCss, paddingCss } from '../style/box-css';
import { useStyleProps } from '../style/server-sheet';
import { StackView } from './stack';

/** A swipe has come to rest when no scroll event came for this long. */
const REST_MS = 100;
const PAGE_ALIGN = { top: 'flex-start', center: 'center', bottom: 'flex-end' } as const;

export function CarouselView({ layer }: { layer: CarouselLayer }) {
  const styleProps = useStyleProps();
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer);
  const { interactive, copy, direction } = context;
  const pager = useRef<HTMLElement>(null);
  const [held, setHeld] = useState(false);
  const { index, layout, land, goTo } = useCarousel(layer, (next) => scrollTo(next, true), held);
  const { scrollTo, onScroll } = usePager({ pager, layer, layout, context, land });
  const last = layer.slides.length - 1;

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const forward = direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    const backward = direction === 'rtl' ? 'ArrowRight' : 'ArrowLeft';
    const next = event.key === forward ? index + 1 : event.key === backward ? index - 1 : index;
    if (next === index || next < 0 || next > last) return;
    event.preventDefault();
    goTo(next);
  };

  const dots = layer.pageControl && <Dots control={layer.pageControl} count={layer.slides.length} index={index} />;
  const onTop = layer.pageControl?.position === 'top';
  return (
    <Box
      as="section"
      layer={layer}
      aria-roledescription="carousel"
      aria-label={layer.name ?? copy.slide(index, layer.slides.length)}
      // Whoever reads or points at a slide should not lose it.
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      opacity={layerOpacity(style)}
      css={{ display: 'flex', flexDirection: 'column', minWidth: 0, ...boxCss(style, axis, context) }}
    >
      {onTop && dots}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys page what a pointer swipes */}
      <div
        ref={(element) => {
          pager.current = element;
        }}
        tabIndex={interactive ? 0 : -1}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
        {...styleProps(
          {
            alignItems: PAGE_ALIGN[layout.pageAlignment],
            gap: layout.pageSpacing,
            paddingInline: layout.pagePeek,
            scrollPaddingInline: layout.pagePeek,
            flexGrow: 1,
          },
          'svc-pager',
        )}
      >
        {layer.slides.map((slide, position) => (
          <Slide key={slide.id} current={position === index} label={copy.slide(position, layer.slides.length)}>
            <AxisContext.Provider value="vertical">
              <StackView layer={slide} />
            </AxisContext.Provider>
          </Slide>
        ))}
      </div>
      <span className="svc-hidden" aria-live={layer.autoAdvance ? 'off' : 'polite'}>
        {copy.slide(index, layer.slides.length)}
      </span>
      {!onTop && dots}
    </Box>
  );
}

interface PagerOptions {
  pager: { current: HTMLElement | null };
  layer: CarouselLayer;
  layout: { pageSpacing: number; pagePeek: number };
  context: RenderContext;
  land(index: number): void;
}

/** Scrolling of the pager: by program to a slide, by the visitor to whatever slide it comes to rest on. */
function usePager({ pager, layer, layout, context, land }: PagerOptions) {
  const { direction, reducedMotion, interactive } = context;
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** The slide that a programmed scroll is on its way to. */
  const target = useRef<number | null>(null);

  const interval = useCallback(() => {
    const width = pager.current?.clientWidth ?? 0;
    return slideWidth(width, layout.pagePeek) + layout.pageSpacing;
  }, [pager, layout.pagePeek, layout.pageSpacing]);

  const scrollTo = useCallback(
    (index: number, animated: boolean) => {
      const element = pager.current;
      if (!element?.scrollTo || element.clientWidth === 0) return;
      target.current = index;
      const left = index * interval() * (direction === 'rtl' ? -1 : 1);
      element.scrollTo({ left, behavior: animated && !reducedMotion ? 'smooth' : 'instant' });
    },
    [pager, interval, direction, reducedMotion],
  );

  // The slide that is open first is where the pager starts.
  const opened = useRef(false);
  useIsomorphicLayoutEffect(() => {
    if (opened.current) return;
    opened.current = true;
    const first = initialSlide(layer);
    if (first > 0) scrollTo(first, false);
  }, [layer, scrollTo]);
  useEffect(() => () => clearTimeout(rest.current), []);

  const onScroll = () => {
    clearTimeout(rest.current);
    rest.current = setTimeout(() => {
      const element = pager.current;
      if (!element || !interactive || element.clientWidth === 0) return;
      const at = slideFromOffset(Math.abs(element.scrollLeft), interval(), layer.slides.length);
      // A programmed scroll has told its slide already.
      if (target.current === at) target.current = null;
      land(at);
    }, REST_MS);
  };
  return { scrollTo, onScroll };
}

function Slide({ current, label, children }: { current: boolean; label: string; children: React.ReactNode }) {
  const styleProps = useStyleProps();
  const element = useRef<HTMLDivElement>(null);
  // Set on the element: React 18 and 19 disagree on how the attribute is written.
  useEffect(() => {
    if (element.current) element.current.inert = !current;
  }, [current]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a slide is a group, not a set of fields
    <div
      ref={element}
      role="group"
      aria-roledescription="slide"
      aria-label={label}
      {...styleProps({
        flex: '0 0 100%',
        minWidth: 0,
        scrollSnapAlign: 'start',
        display: 'flex',
        flexDirection: 'column',
      })}
    >
      {children}
    </div>
  );
}

function Dots({ control, count, index }: { control: PageControl; count: number; index: number }) {
  const styleProps = useStyleProps();
  const context = useRender();
  return (
    <div
      aria-hidden="true"
      {...styleProps({
        display: 'flex',
        alignItems: 'center',
        alignSelf: 'center',
        gap: dotSpacing(control),
        ...paddingCss(control.padding),
        ...marginCss(control.margin),
        ...boxChrome(control, context),
      })}
    >
      {Array.from({ length: count }, (_, position) => {
        const dot = dotLook(control, position === index, context);
        return (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: a dot is its place
            key={position}
            {...styleProps({
              width: dot.width,
              height: dot.height,
              borderRadius: dot.radius,
              backgroundColor: dot.color,
              opacity: dot.opacity,
              ...borderCss(dot.border, context),
              ...(context.reducedMotion ? {} : { transition: 'width .2s, opacity .2s' }),
            })}
          />
        );
      })}
    </div>
  );
}

function boxChrome(control: PageControl, context: RenderContext) {
  const { border, shadow } = control;
  return boxCss({ ...(border ? { border } : {}), ...(shadow ? { shadow } : {}) }, 'vertical', context);
}

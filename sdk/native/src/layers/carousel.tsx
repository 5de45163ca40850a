import type { CarouselLayer } from '@svc/core';
import { initialSlide, slideFromOffset, slideWidth } from '@svc/core/internal';
import { useCarousel, useLayerStyle, useRender } from '@svc/react-core';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import {
  type AccessibilityActionEvent,
  type NativeScrollEvent,
  type NativeSyntheticEvent,
  Platform,
  ScrollView,
  StyleSheet,
  View,
  type ViewProps,
} from 'react-native';
import { Box } from '../renderer/box';
import { directionStyle, SCROLLED_BY_KEYS } from '../renderer/direction';
import { useScreenReader } from '../renderer/screen-reader';
import { SurroundContext } from '../renderer/surround-context';
import { COLUMN } from '../style/surround';
import { PageDots } from './page-dots';
import { StackView } from './stack';

const PAGE_ALIGN = { top: 'flex-start', center: 'center', bottom: 'flex-end' } as const;
/** In a browser a swipe has come to rest when no scroll event came for this long, ms. */
const REST_MS = 100;

export function CarouselView({ layer }: { layer: CarouselLayer }) {
  const { interactive, reducedMotion, copy, direction, width: screenWidth } = useRender();
  const style = useLayerStyle(layer);
  const [touched, setTouched] = useState(false);
  const screenReader = useScreenReader();
  const pager = useRef<ScrollView>(null);
  const [measured, setMeasured] = useState<number>();
  const count = layer.slides.length;
  /**
   * The track always runs from left to right, since systems disagree on where one from right to left begins. In such a
   * language its slides are laid out the other way around.
   */
  const place = (index: number) => (direction === 'rtl' ? count - 1 - index : index);

  const { index, layout, land, goTo } = useCarousel(layer, (next) => scrollTo(next, true), touched || screenReader);
  const { pagePeek, pageSpacing } = layout;
  const page = slideWidth(measured ?? screenWidth, pagePeek);
  const interval = page + pageSpacing;
  const scrollTo = (next: number, animated: boolean) =>
    pager.current?.scrollTo({ x: place(next) * interval, y: 0, animated: animated && !reducedMotion });

  // Slides of another width stand elsewhere.
  const shown = useRef({ index, scrollTo });
  useEffect(() => {
    shown.current = { index, scrollTo };
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the width of a slide decides where it stands
  useEffect(() => {
    if (measured !== undefined) shown.current.scrollTo(shown.current.index, false);
  }, [measured, interval]);

  const settle = (x: number) => {
    setTouched(false);
    if (interactive && measured !== undefined) land(place(slideFromOffset(x, interval, count)));
  };
  const rest = useRest(settle);

  const onAccessibilityAction = ({ nativeEvent }: AccessibilityActionEvent) => {
    const next = nativeEvent.actionName === 'increment' ? index + 1 : index - 1;
    if (interactive && next >= 0 && next < count) goTo(next);
  };
  const control: ViewProps = {
    accessible: true,
    accessibilityRole: 'adjustable',
    accessibilityLabel: layer.name ?? copy.slide(index, count),
    'aria-valuemin': 1,
    'aria-valuemax': count,
    'aria-valuenow': index + 1,
    'aria-valuetext': copy.slide(index, count),
    accessibilityActions: [{ name: 'increment' }, { name: 'decrement' }],
    onAccessibilityAction,
  };
  const dots = layer.pageControl && <PageDots {...control} control={layer.pageControl} count={count} index={index} />;
  const onTop = layer.pageControl?.position === 'top';
  const slides = direction === 'rtl' ? [...layer.slides].reverse() : layer.slides;
  return (
    <Box layer={layer} look={style}>
      {onTop && dots}
      <ScrollView
        ref={pager}
        testID={`${layer.id}:pager`}
        {...SCROLLED_BY_KEYS}
        horizontal
        showsHorizontalScrollIndicator={false}
        scrollEnabled={interactive}
        {...(Platform.OS === 'web'
          ? { pagingEnabled: pagePeek === 0 && pageSpacing === 0, onScroll: rest, dir: 'ltr' }
          : { snapToInterval: interval, snapToAlignment: 'start', disableIntervalMomentum: true })}
        decelerationRate="fast"
        scrollEventThrottle={16}
        contentOffset={{ x: place(initialSlide(layer)) * interval, y: 0 }}
        onLayout={({ nativeEvent }) => nativeEvent.layout.width > 0 && setMeasured(nativeEvent.layout.width)}
        onScrollBeginDrag={() => setTouched(true)}
        onScrollEndDrag={({ nativeEvent }) => {
          // Let go of at its place, it does not move on, and nothing else would say so.
          const on = nativeEvent.contentOffset.x / interval;
          if (Math.abs(on - Math.round(on)) * interval < 1) settle(nativeEvent.contentOffset.x);
        }}
        onMomentumScrollEnd={({ nativeEvent }) => settle(nativeEvent.contentOffset.x)}
        style={[styles.pager, directionStyle('ltr')]}
        contentContainerStyle={{
          flexGrow: 1,
          alignItems: PAGE_ALIGN[layout.pageAlignment],
          gap: pageSpacing,
          paddingHorizontal: pagePeek,
        }}
      >
        {slides.map((slide) => {
          const position = layer.slides.indexOf(slide);
          return (
            <Slide key={slide.id} width={page} current={position === index} direction={direction}>
              <StackView layer={slide} />
            </Slide>
          );
        })}
      </ScrollView>
      {!dots && <View {...control} style={styles.unseen} />}
      {!onTop && dots}
    </Box>
  );
}

/** In a browser nothing tells the end of a swipe, so a pause in scrolling has to. */
function useRest(settle: (x: number) => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(settle);
  useEffect(() => {
    latest.current = settle;
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(({ nativeEvent }: NativeSyntheticEvent<NativeScrollEvent>) => {
    const { x } = nativeEvent.contentOffset;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => latest.current(x), REST_MS);
  }, []);
}

interface SlideProps {
  /** px */
  width: number;
  current: boolean;
  direction: 'ltr' | 'rtl';
  children: ReactNode;
}

/** Only the slide that is shown can be touched and is read out; its neighbours merely peek in. */
function Slide({ width, current, direction, children }: SlideProps) {
  return (
    <View
      aria-hidden={!current}
      pointerEvents={current ? 'auto' : 'none'}
      {...(Platform.OS === 'web' ? ({ dir: direction } as object) : {})}
      style={[{ width }, directionStyle(direction)]}
    >
      <SurroundContext.Provider value={COLUMN}>{children}</SurroundContext.Provider>
    </View>
  );
}

const styles = StyleSheet.create({
  pager: { flexGrow: 1 },
  // Without dots the control is there for screen readers alone.
  unseen: { position: 'absolute', width: 1, height: 1 },
});

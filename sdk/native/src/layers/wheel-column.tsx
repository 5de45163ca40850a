import type { WheelItemStyle } from '@svc/core';
import { useRender } from '@svc/react-core';
import { useEffect, useRef } from 'react';
import {
  type AccessibilityActionEvent,
  type NativeScrollEvent,
  type NativeSyntheticEvent,
  Pressable,
  ScrollView,
  StyleSheet,
  View,
} from 'react-native';
import { Words } from '../renderer/words';

/** The wheel has come to rest when no scroll event came for this long. */
const REST_MS = 120;

export interface WheelColumnProps {
  items: readonly { id: string; label: string }[];
  index: number;
  /** Height of an item, px. */
  itemHeight: number;
  /** How many items show at once. */
  visible: number;
  /** Accessible name. */
  label: string;
  itemStyle: WheelItemStyle;
  selectedItemStyle: WheelItemStyle;
  /** Part of the width beside other wheels. */
  share?: number;
  onChoose(index: number): void;
}

/** Color band behind the chosen item of the wheels that stand in it. */
export function WheelBand({ color, itemHeight, visible }: { color: string; itemHeight: number; visible: number }) {
  const top = (itemHeight * (visible - 1)) / 2;
  return <View pointerEvents="none" style={[styles.band, { backgroundColor: color, height: itemHeight, top }]} />;
}

/**
 * A column that snaps to its items. Screen readers see one adjustable control: swiping up and down walks through the
 * items without the list around them.
 */
export function WheelColumn(props: WheelColumnProps) {
  const { items, index, itemHeight, visible, label, onChoose } = props;
  const { interactive, reducedMotion } = useRender();
  const list = useRef<ScrollView>(null);
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** The position the wheel is at, or on its way to. */
  const shown = useRef<number | null>(null);
  const latest = useRef(onChoose);
  const last = items.length - 1;

  useEffect(() => {
    latest.current = onChoose;
  });
  useEffect(() => () => clearTimeout(rest.current), []);
  useEffect(() => {
    if (shown.current === null || shown.current === index) return;
    shown.current = index;
    list.current?.scrollTo({ y: index * itemHeight, animated: !reducedMotion });
  }, [index, itemHeight, reducedMotion]);

  const begin = () => {
    if (shown.current !== null) return;
    // The first position is where the wheel starts, not something to travel to.
    shown.current = index;
    list.current?.scrollTo({ y: index * itemHeight, animated: false });
  };
  const onScroll = ({ nativeEvent }: NativeSyntheticEvent<NativeScrollEvent>) => {
    const { y } = nativeEvent.contentOffset;
    clearTimeout(rest.current);
    rest.current = setTimeout(() => {
      const at = Math.min(Math.max(Math.round(y / itemHeight), 0), last);
      shown.current = at;
      latest.current(at);
    }, REST_MS);
  };
  const onAction = ({ nativeEvent }: AccessibilityActionEvent) => {
    if (nativeEvent.actionName === 'increment') onChoose(Math.min(index + 1, last));
    if (nativeEvent.actionName === 'decrement') onChoose(Math.max(index - 1, 0));
  };

  const padding = (itemHeight * (visible - 1)) / 2;
  return (
    <View
      accessible
      accessibilityRole="adjustable"
      accessibilityLabel={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(last, 0)}
      aria-valuenow={index}
      aria-valuetext={items[index]?.label ?? ''}
      aria-disabled={!interactive}
      accessibilityActions={interactive ? [{ name: 'increment' }, { name: 'decrement' }] : []}
      onAccessibilityAction={onAction}
      style={{ flex: props.share ?? 1 }}
    >
      <ScrollView
        ref={list}
        nestedScrollEnabled
        scrollEnabled={interactive}
        showsVerticalScrollIndicator={false}
        snapToInterval={itemHeight}
        decelerationRate="fast"
        scrollEventThrottle={16}
        contentOffset={{ x: 0, y: index * itemHeight }}
        onLayout={begin}
        onScroll={interactive ? onScroll : undefined}
        style={{ height: itemHeight * visible }}
        contentContainerStyle={{ paddingVertical: padding }}
      >
        {items.map(({ id, label: words }, at) => (
          <Pressable
            key={id}
            accessible={false}
            focusable={false}
            onPress={() => interactive && onChoose(at)}
            style={[styles.item, { height: itemHeight }]}
          >
            <Words text={words} style={at === index ? props.selectedItemStyle : props.itemStyle} lines={1} />
          </Pressable>
        ))}
      </ScrollView>
    </View>
  );
}

const styles = StyleSheet.create({
  band: { position: 'absolute', left: 0, right: 0, borderRadius: 10 },
  item: { alignItems: 'center', justifyContent: 'center' },
});

import { useRender } from '@svc/react-core';
import { useRef, useState } from 'react';
import {
  type AccessibilityActionEvent,
  type GestureResponderEvent,
  type LayoutChangeEvent,
  StyleSheet,
  View,
} from 'react-native';

/** Height of the area that takes touches, px: comfortable for a finger whatever the thumb's size is. */
const TOUCH_HEIGHT = 44;

export interface SliderProps {
  value: number;
  min: number;
  max: number;
  step: number;
  /** How far along the track the value is, 0 to 1. */
  share: number;
  /** Accessible name. */
  label: string;
  /** px */
  trackHeight: number;
  /** px */
  thumbSize: number;
  trackColor: string;
  fillColor: string;
  thumbColor: string;
  onChange(value: number): void;
}

/** A track with a thumb, drawn from views: system sliders can't take the sizes that authors may set. */
export function Slider(props: SliderProps) {
  const { value, min, max, step, share, label, trackHeight, thumbSize, onChange } = props;
  const { interactive, direction } = useRender();
  const [width, setWidth] = useState(0);
  /** Where on the page the track begins, known from the touch that began the drag. */
  const origin = useRef(0);

  const valueAt = (x: number) => {
    const run = width - thumbSize;
    if (run <= 0) return;
    const along = Math.min(Math.max((x - thumbSize / 2) / run, 0), 1);
    onChange(min + (direction === 'rtl' ? 1 - along : along) * (max - min));
  };
  const begin = ({ nativeEvent }: GestureResponderEvent) => {
    origin.current = nativeEvent.pageX - nativeEvent.locationX;
    valueAt(nativeEvent.locationX);
  };
  // A finger may leave the slider, and then its place in whatever it is over says nothing: the page's does.
  const move = ({ nativeEvent }: GestureResponderEvent) => valueAt(nativeEvent.pageX - origin.current);
  const onAction = ({ nativeEvent }: AccessibilityActionEvent) => {
    if (nativeEvent.actionName === 'increment') onChange(value + step);
    if (nativeEvent.actionName === 'decrement') onChange(value - step);
  };

  const height = Math.max(thumbSize, trackHeight);
  const slop = Math.max(0, (TOUCH_HEIGHT - height) / 2);
  const top = (height - trackHeight) / 2;
  const filled = thumbSize / 2 + share * Math.max(width - thumbSize, 0);
  return (
    <View
      accessible
      focusable={interactive}
      accessibilityRole="adjustable"
      accessibilityLabel={label}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={value}
      aria-valuetext={String(value)}
      aria-disabled={!interactive}
      accessibilityActions={interactive ? [{ name: 'increment' }, { name: 'decrement' }] : []}
      onAccessibilityAction={onAction}
      onLayout={({ nativeEvent }: LayoutChangeEvent) => setWidth(nativeEvent.layout.width)}
      onStartShouldSetResponder={() => interactive}
      onMoveShouldSetResponder={() => interactive}
      onResponderTerminationRequest={() => false}
      onResponderGrant={begin}
      onResponderMove={move}
      hitSlop={{ top: slop, bottom: slop }}
      style={{ height }}
    >
      {/* Children take no touches, so that places are always those of the whole. */}
      <View pointerEvents="none" style={StyleSheet.absoluteFill}>
        <View
          style={{
            position: 'absolute',
            start: 0,
            end: 0,
            top,
            height: trackHeight,
            borderRadius: trackHeight / 2,
            backgroundColor: props.trackColor,
          }}
        />
        <View
          style={{
            position: 'absolute',
            start: 0,
            top,
            width: filled,
            height: trackHeight,
            borderRadius: trackHeight / 2,
            backgroundColor: props.fillColor,
          }}
        />
        <View
          style={{
            position: 'absolute',
            start: share * Math.max(width - thumbSize, 0),
            top: (height - thumbSize) / 2,
            width: thumbSize,
            height: thumbSize,
            borderRadius: thumbSize / 2,
            backgroundColor: props.thumbColor,
          }}
        />
      </View>
    </View>
  );
}

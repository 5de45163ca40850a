import type { NumberStepperLayer, ScaleInputLayer, WheelPickerLayer } from '@svc/core';
import { act, fireEvent, screen } from '@testing-library/react-native';
import { GO, showLayers, text } from '../support/inputs';

const go = () => fireEvent.press(screen.getByRole('button', { name: 'Continue' }));
const perform = (element: ReturnType<typeof screen.getByRole>, actionName: string) =>
  fireEvent(element, 'accessibilityAction', { nativeEvent: { actionName } });

describe('a stepper', () => {
  const stepper: NumberStepperLayer = {
    id: 'lyr_s',
    kind: 'number_stepper',
    fieldKey: 'count',
    name: 'Litres',
    classification: 'safe',
    min: 0,
    max: 1,
    step: 0.5,
    children: [
      { id: 'lyr_down', kind: 'number_stepper_button', role: 'decrement', children: [text('lyr_minus', '-')] },
      { id: 'lyr_value', kind: 'number_stepper_value', unitLabel: { default: 'l' } },
      { id: 'lyr_up', kind: 'number_stepper_button', role: 'increment', children: [text('lyr_plus', '+')] },
    ],
  };
  const value = () => screen.getByTestId('lyr_value');

  test('steps within its range', async () => {
    const { responses } = await showLayers([stepper, GO]);
    expect(value()).toHaveTextContent('0 l');
    expect(screen.getByRole('button', { name: 'Decrease' })).toBeDisabled();
    fireEvent.press(screen.getByRole('button', { name: 'Decrease' }));
    for (let i = 0; i < 4; i += 1) fireEvent.press(screen.getByRole('button', { name: 'Increase' }));
    expect(value()).toHaveTextContent('1 l');
    expect(screen.getByRole('button', { name: 'Increase' })).toBeDisabled();
    go();
    expect(responses).toEqual([{ kind: 'number_stepper', value: 1, classification: 'safe' }]);
  });

  test('is one adjustable value to screen readers', async () => {
    const { responses } = await showLayers([{ ...stepper, defaultValue: 0.5 }, GO]);
    expect(screen.getByTestId('lyr_s').props).toMatchObject({ role: 'group', 'aria-label': 'Litres' });
    expect(value().props).toMatchObject({ accessibilityRole: 'adjustable', accessibilityLabel: 'Litres' });
    expect(value()).toHaveAccessibilityValue({ min: 0, max: 1, now: 0.5, text: '0.5 l' });
    perform(value(), 'increment');
    expect(value()).toHaveTextContent('1 l');
    perform(value(), 'decrement');
    perform(value(), 'decrement');
    go();
    expect(responses).toEqual([{ kind: 'number_stepper', value: 0, classification: 'safe' }]);
  });
});

describe('a scale', () => {
  const scale: ScaleInputLayer = {
    id: 'lyr_sc',
    kind: 'scale_input',
    fieldKey: 'mood',
    name: 'Mood',
    min: 0,
    max: 10,
    step: 2,
    defaultValue: 4,
    thumbSize: 20,
    minLabel: { default: 'Bad' },
  };
  const slider = () => screen.getByRole('adjustable', { name: 'Mood' });
  const layout = (width: number) => fireEvent(slider(), 'layout', { nativeEvent: { layout: { width } } });
  const touch = (name: 'responderGrant' | 'responderMove', at: { locationX?: number; pageX: number }) =>
    fireEvent(slider(), name, { nativeEvent: at });

  test('starts with its default, and shows its value and its ends', async () => {
    const { responses } = await showLayers([scale, GO]);
    expect(screen.getByText('4')).toBeOnTheScreen();
    expect(screen.getByText('Bad')).toBeOnTheScreen();
    expect(screen.getByText('10')).toBeOnTheScreen();
    expect(slider()).toHaveAccessibilityValue({ min: 0, max: 10, now: 4, text: '4' });
    go();
    expect(responses).toEqual([{ kind: 'scale', value: 4 }]);
  });

  test('follows a finger, onto its steps only', async () => {
    const { responses } = await showLayers([scale, GO]);
    layout(220);
    // The thumb's middle runs from 10 to 210.
    touch('responderGrant', { locationX: 140, pageX: 180 });
    expect(slider()).toHaveAccessibilityValue({ now: 6 });
    touch('responderMove', { pageX: 500 });
    expect(slider()).toHaveAccessibilityValue({ now: 10 });
    touch('responderMove', { pageX: 40 + 50 });
    go();
    expect(responses).toEqual([{ kind: 'scale', value: 2 }]);
  });

  test('runs from right to left in Arabic', async () => {
    const { responses } = await showLayers([scale, GO], { locale: 'ar' });
    layout(220);
    touch('responderGrant', { locationX: 210, pageX: 210 });
    go();
    expect(responses).toEqual([{ kind: 'scale', value: 0 }]);
  });

  test('answers screen readers, and stops at its ends', async () => {
    const { responses } = await showLayers([{ ...scale, showValue: false, showLabels: false }, GO]);
    expect(screen.queryByText('Bad')).toBeNull();
    perform(slider(), 'increment');
    for (let i = 0; i < 5; i += 1) perform(slider(), 'increment');
    perform(slider(), 'decrement');
    go();
    expect(responses).toEqual([{ kind: 'scale', value: 8 }]);
  });

  test('stands still on a screen that is only shown', async () => {
    await showLayers([scale], { mode: 'static' });
    layout(220);
    perform(slider(), 'increment');
    expect(slider()).toHaveAccessibilityValue({ now: 4 });
    expect(slider().props.onStartShouldSetResponder()).toBe(false);
  });
});

describe('a wheel', () => {
  const wheel: WheelPickerLayer = {
    id: 'lyr_w',
    kind: 'wheel_picker',
    fieldKey: 'month',
    name: 'Month',
    mode: 'date',
    datePart: 'month',
    defaultValue: '05',
    itemHeight: 40,
  };
  const column = () => screen.getByRole('adjustable', { name: 'Month' });
  const scrollTo = (y: number) => {
    const list = column().children[0];
    fireEvent.scroll(list as never, { nativeEvent: { contentOffset: { x: 0, y } } });
    act(() => void jest.advanceTimersByTime(500));
  };
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test('starts with its default, named in the locale', async () => {
    const { responses } = await showLayers([wheel, GO], { locale: 'de' });
    expect(column()).toHaveAccessibilityValue({ min: 0, max: 11, now: 4, text: 'Mai' });
    go();
    expect(responses).toEqual([{ kind: 'wheel', value: '05' }]);
  });

  test('takes what it comes to rest on', async () => {
    const { responses } = await showLayers([wheel, GO]);
    scrollTo(40 * 7 + 9);
    expect(column()).toHaveAccessibilityValue({ text: 'August' });
    scrollTo(-30);
    expect(column()).toHaveAccessibilityValue({ text: 'January' });
    scrollTo(4000);
    go();
    expect(responses).toEqual([{ kind: 'wheel', value: '12' }]);
  });

  test('answers screen readers and taps', async () => {
    const { responses } = await showLayers([wheel, GO]);
    perform(column(), 'increment');
    expect(column()).toHaveAccessibilityValue({ text: 'June' });
    perform(column(), 'decrement');
    perform(column(), 'decrement');
    expect(column()).toHaveAccessibilityValue({ text: 'April' });
    fireEvent.press(screen.getByText('March'));
    go();
    expect(responses).toEqual([{ kind: 'wheel', value: '03' }]);
  });

  test('begins in the middle of its options without a default', async () => {
    const options = ['s', 'm', 'l'].map((id) => ({ optionId: id, label: { default: id.toUpperCase() } }));
    const { responses } = await showLayers([
      { id: 'lyr_w', kind: 'wheel_picker', fieldKey: 'size', name: 'Month', options },
      GO,
    ]);
    expect(column()).toHaveAccessibilityValue({ text: 'M' });
    perform(column(), 'increment');
    perform(column(), 'increment');
    go();
    expect(responses).toEqual([{ kind: 'wheel', value: 'l' }]);
  });
});

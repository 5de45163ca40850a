import type { DateTimeInputLayer } from '@svc/core';
import { act, fireEvent, screen, waitFor } from '@testing-library/react-native';
import { Platform } from 'react-native';
import { GO, showLayers } from '../support/inputs';

const mockOpen = jest.fn();
let mockInstalled = true;
jest.mock('@react-native-community/datetimepicker', () => {
  if (!mockInstalled) throw new Error('Cannot find module');
  const { createElement } = jest.requireActual<typeof import('react')>('react');
  return {
    __esModule: true,
    default: (props: object) => createElement('SystemPicker', props),
    DateTimePickerAndroid: { open: mockOpen },
  };
});

const date: DateTimeInputLayer = {
  id: 'lyr_d',
  kind: 'date_time_input',
  fieldKey: 'day',
  classification: 'safe',
  placeholder: { default: 'Day' },
  min: '2026-01-01',
  max: '2026-12-31',
};
const field = () => screen.getByRole('button', { name: 'Day' });
const go = () => fireEvent.press(screen.getByRole('button', { name: 'Continue' }));
const done = () => fireEvent.press(screen.getByRole('button', { name: 'Done' }));
const perform = (name: string, actionName: 'increment' | 'decrement') =>
  fireEvent(screen.getByRole('adjustable', { name }), 'accessibilityAction', { nativeEvent: { actionName } });
/** Lets the system's pickers arrive, if there are any. */
const arrive = () => act(() => new Promise((resolve) => setTimeout(resolve, 5)));
const open = async () => {
  await arrive();
  fireEvent.press(field());
};

beforeEach(() => {
  jest.useFakeTimers({
    now: new Date(2026, 4, 17, 9, 30),
    doNotFake: ['setTimeout', 'clearTimeout', 'queueMicrotask', 'nextTick', 'setImmediate', 'performance'],
  });
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
  mockOpen.mockReset();
});

describe('without the module of system pickers', () => {
  beforeAll(() => {
    mockInstalled = false;
  });

  test('wheels in the order of the locale take a date', async () => {
    const { responses } = await showLayers([date, GO]);
    await open();
    expect(screen.getAllByRole('adjustable').map(({ props }) => props.accessibilityLabel)).toEqual([
      'Month',
      'Day',
      'Year',
    ]);
    expect(screen.getByRole('adjustable', { name: 'Month' })).toHaveAccessibilityValue({ text: 'May' });
    perform('Month', 'decrement');
    perform('Day', 'increment');
    done();
    expect(screen.queryByRole('adjustable')).toBeNull();
    expect(field().props.accessibilityValue.text).toBe('April 18, 2026');
    go();
    expect(responses).toEqual([{ kind: 'date_time', value: '2026-04-18', classification: 'safe' }]);
  });

  test('stays within the bounds and on days that there are', async () => {
    const { responses } = await showLayers([{ ...date, defaultValue: '2026-01-31', min: '2026-01-26' }, GO]);
    await open();
    perform('Month', 'increment');
    expect(screen.getByRole('adjustable', { name: 'Day' })).toHaveAccessibilityValue({
      text: '28',
      max: 27,
    });
    for (let i = 0; i < 3; i += 1) perform('Month', 'decrement');
    for (let i = 0; i < 4; i += 1) perform('Day', 'decrement');
    done();
    go();
    expect(responses).toMatchObject([{ value: '2026-01-26' }]);
  });

  test('changes nothing when it is left, and then says what is missing', async () => {
    const { responses } = await showLayers([date, GO]);
    await open();
    perform('Day', 'increment');
    fireEvent.press(screen.getByRole('button', { name: 'Close' }));
    expect(screen.getByRole('alert')).toHaveTextContent('Please fill in this field.');
    go();
    expect(responses).toEqual([]);
  });

  test('takes a time and a date with a time, in the words of the locale', async () => {
    let { responses } = await showLayers([
      {
        id: 'lyr_d',
        kind: 'date_time_input',
        fieldKey: 'at',
        classification: 'safe',
        mode: 'time',
        placeholder: { default: 'Day' },
      },
      GO,
    ]);
    await open();
    expect(screen.getByRole('adjustable', { name: 'Hour' })).toHaveAccessibilityValue({ text: /^9\sAM$/ });
    perform('Minute', 'increment');
    done();
    go();
    expect(responses).toMatchObject([{ value: '09:31' }]);
    screen.unmount();

    ({ responses } = await showLayers(
      [{ ...date, mode: 'datetime', min: '2026-05-17T10:00', max: '2027-01-01T00:00' }, GO],
      { locale: 'de' },
    ));
    await open();
    expect(screen.getAllByRole('adjustable').map(({ props }) => props['aria-valuetext'])).toEqual([
      '17',
      'Mai',
      '2026',
      '10 Uhr',
      '00',
    ]);
    done();
    expect(field().props.accessibilityValue.text).toMatch(/^17\. Mai 2026.*10:00$/);
    go();
    expect(responses).toMatchObject([{ value: '2026-05-17T10:00' }]);
  });

  test('can be taken back where it is not required', async () => {
    const { responses } = await showLayers([{ ...date, required: false, defaultValue: '2026-02-03' }, GO]);
    await open();
    fireEvent.press(screen.getByRole('button', { name: 'Clear' }));
    expect(screen.getByText('Day')).toBeOnTheScreen();
    go();
    expect(responses).toEqual([{ kind: 'date_time', value: '', classification: 'safe' }]);
  });
});

describe('with the module of system pickers', () => {
  beforeAll(() => {
    mockInstalled = true;
  });

  test('iOS shows its wheels, in the palette and the locale of the flow', async () => {
    const { responses } = await showLayers([date, GO], { theme: 'dark', locale: 'de' });
    await open();
    const picker = await waitFor(() => screen.getByTestId('system-date-picker'));
    expect(picker.props).toMatchObject({ mode: 'date', display: 'spinner', locale: 'de', themeVariant: 'dark' });
    expect(picker.props.minimumDate).toEqual(new Date(2026, 0, 1, 9, 30));
    fireEvent(picker, 'change', {}, new Date(2026, 6, 4));
    done();
    go();
    expect(responses).toMatchObject([{ value: '2026-07-04' }]);
  });

  test('Android asks with its dialogs, and a date with a time with both', async () => {
    jest.replaceProperty(Platform, 'OS', 'android');
    const { responses } = await showLayers([
      { ...date, mode: 'datetime', min: '2026-01-01T00:00', max: '2026-12-31T23:00', required: false },
      GO,
    ]);
    await open();
    const asked = (at: number) => mockOpen.mock.calls[at][0];
    expect(asked(0)).toMatchObject({ mode: 'date', is24Hour: false, maximumDate: new Date(2026, 11, 31, 23, 0) });
    await act(async () => asked(0).onChange({ type: 'set' }, new Date(2026, 2, 4)));
    expect(asked(1)).toMatchObject({ mode: 'time' });
    await act(async () => asked(1).onChange({ type: 'set' }, new Date(2026, 0, 1, 5, 6)));
    expect(field().props.accessibilityValue.text).toMatch(/^March 4, 2026.*5:06\sAM$/);

    // Leaving a dialog leaves the value.
    fireEvent.press(field());
    await act(async () => asked(2).onChange({ type: 'dismissed' }));
    go();
    fireEvent.press(field());
    expect(asked(3).neutralButton).toEqual({ label: 'Clear' });
    await act(async () => asked(3).onChange({ type: 'neutralButtonPressed' }));
    go();
    expect(responses).toMatchObject([{ value: '2026-03-04T05:06' }, { value: '' }]);
  });
});

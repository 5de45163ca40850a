import type { Layer, Screen } from '@svc/core';
import { act, cleanup, render, screen as shown } from '@testing-library/react-native';
import type { ReactElement } from 'react';
import { StyleSheet, type View } from 'react-native';
import { LayerRenderer, type LayerRendererProps } from '../../src/renderer/layer-renderer';
import { withFlavour } from '../support/adapters';
import { lastScreen, manifest, screen, text } from '../support/manifests';

// An app that has none of the modules that single kinds of layers draw with: `require` throws for each.
const mockAbsent = (name: string) => {
  throw new Error(`Cannot find module '${name}'`);
};
jest.mock('react-native-linear-gradient', () => mockAbsent('react-native-linear-gradient'));
jest.mock('react-native-vector-icons/Ionicons', () => mockAbsent('react-native-vector-icons/Ionicons'));
jest.mock('lottie-react-native', () => mockAbsent('lottie-react-native'));
jest.mock('react-native-svg', () => mockAbsent('react-native-svg'));
jest.mock('react-native-safe-area-context', () => mockAbsent('react-native-safe-area-context'));

let warnings: string[];
beforeEach(() => {
  warnings = [];
  jest.spyOn(console, 'warn').mockImplementation((words: string) => void warnings.push(words));
});
afterEach(() => {
  cleanup();
  jest.restoreAllMocks();
});

async function show(layers: Layer[], extra: Partial<Screen> = {}, props: Partial<LayerRendererProps> = {}) {
  const first = screen('scr_a', layers, extra);
  const drawn = <LayerRenderer manifest={manifest([first, lastScreen('scr_b')])} screen={first} {...props} />;
  render(withFlavour(drawn) as ReactElement);
  await act(async () => undefined);
}

const style = (id: string) => StyleSheet.flatten(shown.getByTestId(id).props.style);
const colorsBelow = (id: string): unknown[] =>
  shown
    .getByTestId(id)
    .findAll((node) => typeof node.type === 'string')
    .map((node) => StyleSheet.flatten((node as unknown as View).props.style)?.backgroundColor as unknown)
    .filter((color) => color !== undefined);

test('a gradient is the mean of its colors', async () => {
  const background = 'linear-gradient(90deg, #ff0000 0%, #0000ff 100%)';
  await show([{ id: 'lyr_s', kind: 'stack', direction: 'vertical', children: [], style: { background } }]);
  expect(colorsBelow('lyr_s')).toEqual(['rgba(128, 0, 128, 1)']);
});

test('an icon keeps its place and is named in development, once however many there are', async () => {
  const icon = (id: string): Layer => ({ id, kind: 'icon', family: 'ionicons', iconName: 'star' });
  await show([icon('lyr_i'), icon('lyr_j'), text('lyr_t', 'Words')]);
  expect(shown.getByText('Words')).toBeTruthy();
  expect(shown.getByTestId('lyr_i', { includeHiddenElements: true }).findAllByType('Ionicons' as never)).toEqual([]);
  expect(warnings.filter((words) => words.includes('react-native-vector-icons'))).toHaveLength(1);
});

test('an animation whose end leads on counts as ended', async () => {
  const onRespond = jest.fn();
  const lottie: Layer = {
    id: 'lyr_l',
    kind: 'lottie',
    media: { mediaAssetId: 'm' },
    loop: false,
    onComplete: { mode: 'next' },
  };
  await show([lottie], { next: { default: 'scr_b' } }, { onRespond, mediaMap: { m: 'https://cdn.example/a.json' } });
  expect(onRespond.mock.calls).toEqual([[{ kind: 'cta', action: 'primary' }]]);
});

test('an animation that waits for its button waits on', async () => {
  const onRespond = jest.fn();
  const lottie: Layer = {
    id: 'lyr_l',
    kind: 'lottie',
    media: { mediaAssetId: 'm' },
    loop: false,
    autoPlay: false,
    onComplete: { mode: 'next' },
  };
  await show([lottie], { next: { default: 'scr_b' } }, { onRespond, mediaMap: { m: 'https://cdn.example/a.json' } });
  expect(onRespond).not.toHaveBeenCalled();
});

test('a circular loader, an SVG image, a checkbox and a country field are there', async () => {
  const layers: Layer[] = [
    {
      id: 'lyr_l',
      kind: 'loader',
      variant: 'circular',
      durationMs: 3_600_000,
      trackColor: '#111111',
      fillColor: '#22cc22',
    },
    { id: 'lyr_i', kind: 'image', media: { mediaAssetId: 'm' }, alt: 'Hills', style: { height: 80 } },
    { id: 'lyr_c', kind: 'checkbox', fieldKey: 'agreed' },
    { id: 'lyr_p', kind: 'phone_input', fieldKey: 'phone', classification: 'safe' },
  ];
  await show(layers, {}, { mediaMap: { m: 'https://cdn.example/hills.svg' } });
  expect(shown.getByTestId('lyr_l').props['aria-valuenow']).toBe(0);
  expect(style('lyr_i')).toMatchObject({ height: 80 });
  expect(shown.getByText('▾', { includeHiddenElements: true })).toBeTruthy();
  await act(async () => shown.getByTestId('lyr_c').props.onClick({ nativeEvent: {} }));
  expect(shown.getByText('✓', { includeHiddenElements: true })).toBeTruthy();
});

test('a screen that wants the safe area is drawn without it', async () => {
  await show([text('lyr_t', 'Words')], { containerStyle: { insetSafeArea: true, padding: { t: 7 } } });
  expect(shown.getByText('Words')).toBeTruthy();
});

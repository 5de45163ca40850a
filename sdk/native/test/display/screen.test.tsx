import type { BackgroundFill, FlowManifest, Screen } from '@svc/core';
import { act, fireEvent, render, screen } from '@testing-library/react-native';
import { AccessibilityInfo, Image, StyleSheet } from 'react-native';
import { SafeAreaInsetsContext } from 'react-native-safe-area-context';
import { LayerRenderer } from '../../src/renderer/layer-renderer';
import { films, withFlavour } from '../support/adapters';
import { flowOf, showScreen } from '../support/inputs';
import { button, text } from '../support/manifests';

const MEDIA = '11111111-1111-4111-8111-111111111101';
const mediaMap = { [MEDIA]: 'https://media.example/hills.png' };
const find = (id: string) => screen.getByTestId(id, { includeHiddenElements: true });
const style = (id: string) => StyleSheet.flatten(find(id).props.style);
/** The styles of all views, flattened: what is behind a screen has no names. */
const styles = () =>
  screen.UNSAFE_root.findAll((node) => typeof node.type === 'string').map(
    (node) => StyleSheet.flatten(node.props.style) ?? {},
  );

function flow(extra: Partial<Screen>, layers = [text('lyr_t', 'words')]): { manifest: FlowManifest; screen: Screen } {
  const { manifest, screen: plain } = flowOf(layers);
  const dressed = { ...plain, ...extra };
  return { manifest: { ...manifest, screens: [dressed] }, screen: dressed };
}

async function showFill(backgroundFill: BackgroundFill | undefined, theme: 'light' | 'dark' = 'light') {
  const { manifest, screen: filled } = flow({ containerStyle: backgroundFill ? { backgroundFill } : {} });
  await showScreen(manifest, filled, { theme, mediaMap, around: withFlavour });
}

afterEach(() => jest.restoreAllMocks());

describe('what lies behind a screen', () => {
  test('is the color of the palette when the author chose none', async () => {
    await showFill(undefined, 'dark');
    expect(styles()).toContainEqual(expect.objectContaining({ backgroundColor: '#0a0a0a', position: 'absolute' }));
  });

  test('is a color, faded', async () => {
    await showFill({ kind: 'color', color: '#00ff00', opacity: 0.5 });
    expect(styles()).toContainEqual(expect.objectContaining({ backgroundColor: 'rgba(0, 255, 0, 0.5)' }));
  });

  test('is a gradient by react-native-linear-gradient', async () => {
    await showFill({ kind: 'color', color: 'linear-gradient(180deg, #ff0000 0%, #0000ff 100%)' });
    const gradient = screen.UNSAFE_getByType('LinearGradient' as never);
    expect(gradient.props).toMatchObject({ colors: ['#ff0000', '#0000ff'], start: { y: 0 }, end: { y: 1 } });
  });

  test('is a picture under a scrim', async () => {
    await showFill({ kind: 'image', media: { mediaAssetId: MEDIA }, opacity: 0.7, scrim: { opacity: 0.3 } });
    expect(screen.UNSAFE_getByType(Image).props).toMatchObject({
      source: { uri: mediaMap[MEDIA] },
      resizeMode: 'cover',
    });
    expect(styles()).toContainEqual(expect.objectContaining({ opacity: 0.7 }));
    expect(styles()).toContainEqual(expect.objectContaining({ backgroundColor: 'rgba(0, 0, 0, 0.3)' }));
  });

  test('is a film of the flavour', async () => {
    await showFill({ kind: 'video', media: { mediaAssetId: MEDIA }, loop: false });
    expect(films[films.length - 1]).toMatchObject({ url: mediaMap[MEDIA], fit: 'cover', loop: false, muted: true });
  });

  test('is never read out nor touched', async () => {
    await showFill({ kind: 'video', media: { mediaAssetId: MEDIA } });
    expect(screen.queryByTestId('film')).toBeNull();
    expect(screen.UNSAFE_getAllByProps({ pointerEvents: 'none', 'aria-hidden': true })).not.toHaveLength(0);
  });
});

describe('the container', () => {
  const containerStyle = { padding: { t: 8, l: 20 }, margin: { b: 6 }, insetSafeArea: true };
  const container = () => styles().find((drawn) => drawn.paddingStart === 20);

  test('keeps clear of what the device takes for itself, when its author wants that', async () => {
    const { manifest, screen: padded } = flow({ containerStyle });
    const insets = { top: 47, bottom: 34, left: 0, right: 0 };
    await showScreen(manifest, padded, {
      around: (drawn) => <SafeAreaInsetsContext.Provider value={insets}>{drawn}</SafeAreaInsetsContext.Provider>,
    });
    expect(container()).toMatchObject({ paddingTop: 55, paddingBottom: 34, marginBottom: 6 });
  });

  test('leaves it to the host otherwise', async () => {
    const { manifest, screen: padded } = flow({ containerStyle: { ...containerStyle, insetSafeArea: false } });
    await showScreen(manifest, padded);
    expect(container()).toMatchObject({ paddingTop: 8, paddingBottom: 0 });
  });
});

describe('the reading direction', () => {
  test('follows the locale that is really used', async () => {
    const { manifest, screen: plain } = flow({});
    await showScreen(manifest, plain, { locale: 'ar-EG' });
    expect(style('scr_a').direction).toBe('rtl');
    expect(find('scr_a').props.accessibilityLanguage).toBe('ar');
    expect(StyleSheet.flatten(screen.getByText('words').props.style)).toMatchObject({ writingDirection: 'rtl' });
    screen.unmount();
    await showScreen({ ...manifest, locales: ['en'] }, plain, { locale: 'ar-EG' });
    expect(style('scr_a').direction).toBe('ltr');
  });
});

describe('motion', () => {
  const animations: Screen['animations'] = [
    {
      id: 'c',
      targetLayerId: 'lyr_t',
      trigger: 'mount',
      durationMs: 1_000,
      tracks: [
        {
          property: 'opacity',
          keyframes: [
            { t: 0, value: 0 },
            { t: 1, value: 0.8 },
          ],
        },
      ],
    },
  ];

  test('begins at its first moment', async () => {
    const { manifest, screen: moving } = flow({ animations });
    await showScreen(manifest, moving, { reduced: false });
    expect(style('lyr_t').opacity).toBe(0);
  });

  test('shows its end when the system asks for less of it', async () => {
    jest.spyOn(AccessibilityInfo, 'isReduceMotionEnabled').mockResolvedValue(true);
    const { manifest, screen: moving } = flow({ animations });
    render(<LayerRenderer manifest={manifest} screen={moving} />);
    await act(async () => undefined);
    expect(style('lyr_t').opacity).toBe(0.8);
  });

  test('stands still on a screen that is only shown', async () => {
    const { manifest, screen: moving } = flow({ animations });
    await showScreen(manifest, moving, { reduced: false, mode: 'static' });
    expect(style('lyr_t').opacity).toBe(0.8);
  });
});

describe('uploaded fonts', () => {
  const branding = {
    colorPresets: [],
    gradientPresets: [],
    fontFamilies: [
      {
        id: 'f',
        name: 'Plantin',
        styles: [{ id: 's4', weight: 400, italic: false, url: 'https://media.example/4.ttf' }],
      },
    ],
  };
  const { manifest, screen: plain } = flow({});
  const themed = { ...manifest, theme: { fontFamily: 'Plantin' } };
  const family = () => StyleSheet.flatten(screen.getByText('words').props.style).fontFamily;

  test('are loaded once, and words wait for them in the font of the system', async () => {
    let loaded: () => void = () => undefined;
    const loadFonts = jest.fn(
      () =>
        new Promise<void>((resolve) => {
          loaded = resolve;
        }),
    );
    const around = (drawn: React.ReactElement) => withFlavour(drawn, { fonts });
    const fonts = { loadFonts };
    await showScreen(themed, plain, { branding, around });
    expect(loadFonts).toHaveBeenCalledWith({ SvcFont__s4: 'https://media.example/4.ttf' });
    expect(family()).toBeUndefined();
    await act(async () => loaded());
    expect(family()).toBe('SvcFont__s4');
    screen.unmount();
    await showScreen(themed, plain, { branding, around });
    expect(loadFonts).toHaveBeenCalledTimes(1);
    expect(family()).toBe('SvcFont__s4');
  });

  test('never hold a screen up when they cannot be loaded', async () => {
    const fonts = { loadFonts: () => Promise.reject(new Error('offline')) };
    await showScreen(themed, plain, { branding, around: (drawn) => withFlavour(drawn, { fonts }) });
    expect(family()).toBeUndefined();
  });
});

describe('a new screen', () => {
  test('takes the focus of a screen reader from the one before it, but not when the flow appears', async () => {
    const focus = jest.spyOn(AccessibilityInfo, 'sendAccessibilityEvent').mockReturnValue(undefined);
    const { manifest, screen: first } = flow({});
    const second = { ...first, id: 'scr_b' };
    render(<LayerRenderer manifest={manifest} screen={first} />);
    await act(async () => undefined);
    expect(focus).not.toHaveBeenCalled();
    screen.rerender(<LayerRenderer manifest={manifest} screen={second} />);
    await act(async () => undefined);
    expect(focus).toHaveBeenCalledWith(expect.anything(), 'focus');
  });

  test('is visited anew when its visit changes, with a fresh draft', async () => {
    const box = { id: 'lyr_x', kind: 'checkbox', fieldKey: 'terms' } as const;
    const { manifest, screen: first } = flow({}, [box, button('lyr_go', { kind: 'continue' })] as never);
    render(<LayerRenderer manifest={manifest} screen={first} visit={1} />);
    await act(async () => undefined);
    fireEvent.press(screen.getByRole('checkbox'));
    expect(screen.getByRole('checkbox')).toBeChecked();
    screen.rerender(<LayerRenderer manifest={manifest} screen={first} visit={2} />);
    await act(async () => undefined);
    expect(screen.getByRole('checkbox')).not.toBeChecked();
  });
});

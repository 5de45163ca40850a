import type { Layer, StackLayer } from '@svc/core';
import { act, fireEvent, screen, within } from '@testing-library/react-native';
import { AccessibilityInfo, Image, Linking, ScrollView, StyleSheet } from 'react-native';
import { SvgXml } from 'react-native-svg';
import { drawingSize } from '../../src/layers/drawing';
import { films, plays, withFlavour } from '../support/adapters';
import { flowOf, showLayers, showScreen } from '../support/inputs';
import { button, text } from '../support/manifests';

const style = (id: string) => StyleSheet.flatten(screen.getByTestId(id, { includeHiddenElements: true }).props.style);
const hidden = (id: string) => screen.getByTestId(id, { includeHiddenElements: true });

function stack(id: string, children: Layer[], extra: Partial<StackLayer> = {}): StackLayer {
  return { id, kind: 'stack', direction: 'vertical', children, ...extra };
}

const MEDIA = '11111111-1111-4111-8111-111111111101';
const media = { mediaAssetId: MEDIA };

beforeEach(() => {
  jest.useFakeTimers();
  films.length = 0;
  plays.length = 0;
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
  jest.mocked(Linking.openURL).mockClear();
});

/** Lets this many milliseconds pass. */
const pass = (ms: number) => act(async () => void (await jest.advanceTimersByTimeAsync(ms)));

describe('texts', () => {
  test('fill in templates, translate, and take the typography of the button around them', async () => {
    const greeting: Layer = {
      ...text('lyr_t', ''),
      text: { default: 'Hi {{ name | default: "you" }}', translations: { de: 'Hallo {{ name }}' } },
    } as Layer;
    const loud: Layer = {
      ...(button('lyr_b', { kind: 'skip' }, 'Skip') as Extract<Layer, { kind: 'button' }>),
      variant: 'destructive',
      style: { fontSize: 20, fontWeight: 700 },
    };
    await showLayers([greeting, loud], {
      locale: 'de-AT',
      interpolationContext: { responses: { name: { kind: 'text', value: 'Ana', classification: 'safe' } } },
    });
    expect(screen.getByText('Hallo Ana')).toBeOnTheScreen();
    expect(StyleSheet.flatten(screen.getByText('Skip').props.style)).toMatchObject({
      fontSize: 20,
      fontWeight: '700',
      color: '#fafafa',
    });
  });
});

describe('stacks', () => {
  test('follow breakpoints at the width that the screen has', async () => {
    const layer = stack('lyr_s', [text('lyr_a', 'a')], {
      stackLayoutBreakpoints: { md: { direction: 'horizontal', gap: 2 } },
      styleBreakpoints: { sm: { radius: 9 } },
    });
    await showLayers([layer]);
    expect(style('lyr_s')).toMatchObject({ flexDirection: 'column', gap: 12 });
    fireEvent(hidden('scr_a'), 'layout', { nativeEvent: { layout: { width: 800, height: 600 } } });
    expect(style('lyr_s')).toMatchObject({ flexDirection: 'row', gap: 2, borderRadius: 9 });
  });

  test('paint a gradient behind what they hold', async () => {
    const background = 'linear-gradient(90deg, #ffffff 100%, #000000 0%)';
    await showLayers([
      stack('lyr_s', [text('lyr_a', 'a')], { style: { background, radius: 10, border: { width: 4 } } }),
    ]);
    const gradient = screen.UNSAFE_getByType('LinearGradient' as never);
    expect(gradient.props).toMatchObject({ colors: ['#000000', '#ffffff'], locations: [0, 1] });
    expect(StyleSheet.flatten(gradient.props.style)).toMatchObject({ position: 'absolute', borderRadius: 6 });
  });

  test('keep words in one piece in a row, and let sentences wrap', async () => {
    await showLayers([
      stack('lyr_s', [text('lyr_a', 'Short'), text('lyr_b', 'a sentence')], { direction: 'horizontal' }),
    ]);
    expect([style('lyr_a').flexShrink, style('lyr_b').flexShrink]).toEqual([0, 1]);
  });
});

describe('buttons', () => {
  test('answer a tap and say what they are', async () => {
    const onAction = jest.fn();
    const { responses } = await showLayers([button('lyr_skip', { kind: 'skip' }, 'Skip this')], { onAction });
    fireEvent.press(screen.getByRole('button', { name: 'Skip this' }));
    expect(responses).toEqual([{ kind: 'skip' }]);
    expect(onAction).toHaveBeenCalledWith({ kind: 'skip' }, { layerId: 'lyr_skip', handled: true });
  });

  test('are disabled without an action or a way back, and go back where there is one', async () => {
    const back: Layer = { id: 'lyr_bk', kind: 'back_button', variant: 'ghost', children: [text('lyr_bk_t', 'Back')] };
    const { responses } = await showLayers([button('lyr_none', { kind: 'none' }), back]);
    expect(screen.getAllByRole('button', { disabled: true })).toHaveLength(2);
    expect(style('lyr_bk').opacity).toBe(0.5);
    fireEvent.press(hidden('lyr_bk'));
    expect(responses).toEqual([]);
    screen.unmount();
    const again = await showLayers([back], { interpolationContext: { canGoBack: true } });
    fireEvent.press(screen.getByRole('button', { name: 'Back', disabled: false }));
    expect(again.responses).toEqual([{ kind: 'go_back' }]);
  });

  test('hold Continue back but let a tap say why', async () => {
    const input: Layer = { id: 'lyr_x', kind: 'checkbox', fieldKey: 'terms', blocking: true };
    const { responses } = await showLayers([input, button('lyr_go', { kind: 'continue' }, 'Go')]);
    fireEvent.press(screen.getByRole('button', { name: 'Go', disabled: true }));
    expect(responses).toEqual([]);
    expect(style('lyr_go').opacity).toBe(0.5);
  });

  test('do nothing on a screen that is only shown', async () => {
    const { responses } = await showLayers([button('lyr_skip', { kind: 'skip' })], { mode: 'static' });
    fireEvent.press(hidden('lyr_skip'));
    expect(responses).toEqual([]);
  });

  test('ask the system for nothing without a flavour, and wait for its answer', async () => {
    const ask = button('lyr_ask', {
      kind: 'request_os_permission',
      permissionKey: 'camera',
      outcomes: { granted: 'continue', denied: 'continue', blocked: 'end' },
    });
    const { responses } = await showLayers([ask]);
    fireEvent.press(hidden('lyr_ask'));
    expect(screen.getByRole('button', { busy: true })).toBeOnTheScreen();
    await pass(0);
    expect(responses).toEqual([
      { kind: 'permission_outcome', layerId: 'lyr_ask', permissionKey: 'camera', outcome: 'denied' },
    ]);
  });
});

describe('links', () => {
  const link = (href: string): Layer => ({ id: 'lyr_h', kind: 'hyperlink', href, children: [text('lyr_h_t', 'Go')] });

  test('are opened by the system, then reported', async () => {
    const openURL = jest.spyOn(Linking, 'openURL').mockRejectedValue(new Error('nothing opens it'));
    const onHyperlinkOpened = jest.fn();
    await showLayers([link(' https://example.com/ ')], { onHyperlinkOpened });
    fireEvent.press(screen.getByRole('link', { name: 'Go' }));
    expect(openURL).toHaveBeenCalledWith('https://example.com/');
    expect(onHyperlinkOpened).toHaveBeenCalledWith({ layerId: 'lyr_h', href: 'https://example.com/' });
    await pass(0);
  });

  test('stay shut when they are not safe', async () => {
    const openURL = jest.spyOn(Linking, 'openURL').mockResolvedValue(undefined);
    await showLayers([link('javascript:alert(1)')]);
    fireEvent.press(hidden('lyr_h'));
    expect(openURL).not.toHaveBeenCalled();
    expect(screen.getByRole('link', { disabled: true })).toBeOnTheScreen();
  });
});

describe('pictures', () => {
  const image = (extra: Partial<Extract<Layer, { kind: 'image' }>> = {}): Layer => ({
    id: 'lyr_i',
    kind: 'image',
    media,
    alt: 'A fern',
    ...extra,
  });

  test('take their own size where the author gave none', async () => {
    jest
      .spyOn(Image, 'getSize')
      .mockImplementation(((_: string, done: (w: number, h: number) => void) => done(300, 200)) as never);
    await showLayers([image()], { mediaMap: { [MEDIA]: 'https://media.example/fern.png' } });
    expect(style('lyr_i')).toMatchObject({ width: 300, maxWidth: '100%', overflow: 'hidden' });
    const picture = within(hidden('lyr_i')).UNSAFE_getByType(Image);
    expect(picture.props).toMatchObject({ source: { uri: 'https://media.example/fern.png' }, resizeMode: 'cover' });
    expect(StyleSheet.flatten(picture.props.style)).toMatchObject({ width: '100%', aspectRatio: 1.5 });
    expect(screen.getByRole('img', { name: 'A fern' })).toBeOnTheScreen();
  });

  test('leave a box in their place while there are none, and stay silent without words', async () => {
    await showLayers([image(), { ...image({ style: { height: 50 } }), id: 'lyr_j', alt: '' } as Layer]);
    expect(style('lyr_i')).toMatchObject({ backgroundColor: '#f4f4f5', minHeight: 160 });
    expect(style('lyr_j').minHeight).toBeUndefined();
    expect(screen.getAllByRole('img')).toHaveLength(1);
  });

  test('draw vectors as such, in the size that they give themselves', async () => {
    const xml = '<?xml version="1.0"?><svg viewBox="0 0 60 30"><rect width="60" height="30"/></svg>';
    const fetched = jest.fn().mockResolvedValue({ ok: true, status: 200, text: async () => xml });
    jest.spyOn(globalThis, 'fetch').mockImplementation(fetched);
    const mediaMap = { [MEDIA]: 'https://media.example/fern.svg?v=2' };
    await showLayers([image()], { mediaMap });
    await pass(0);
    expect(fetched).toHaveBeenCalledWith(mediaMap[MEDIA]);
    expect(within(hidden('lyr_i')).UNSAFE_queryByType(Image)).toBeNull();
    expect(style('lyr_i')).toMatchObject({ width: 60, maxWidth: '100%' });
    expect(within(hidden('lyr_i')).UNSAFE_getByType(SvgXml).props).toMatchObject({
      xml,
      preserveAspectRatio: 'xMidYMid slice',
    });
  });

  test.each([
    ['<svg width="20" height="10px" viewBox="0 0 1 1">', { width: 20, height: 10 }],
    ['<svg height="10" viewBox="0 0 30 20">', { width: 15, height: 10 }],
    ['<svg\n viewBox=\'0,0,24,48\' fill="none">', { width: 24, height: 48 }],
    ['<svg width="100%" height="100%">', null],
    ['not a drawing', null],
  ])('%s has its size', (xml, size) => {
    expect(drawingSize(xml)).toEqual(size);
  });
});

describe('icons', () => {
  const icon = (extra: object = {}): Layer => ({
    id: 'lyr_ic',
    kind: 'icon',
    family: 'ionicons',
    iconName: 'chevron-back',
    ...extra,
  });
  const glyph = () => screen.UNSAFE_getByType('Ionicons' as never);

  test('have their size and color, and mean nothing to a screen reader', async () => {
    await showLayers([icon({ style: { width: 30, height: 40, color: { light: '#112233', dark: '#ffffff' } } })]);
    expect(glyph().props).toMatchObject({ name: 'chevron-back', size: 30, color: '#112233' });
    expect(screen.queryByTestId('lyr_ic')).toBeNull();
  });

  test('turn around with the reading direction', async () => {
    await showLayers([icon()], { locale: 'ar' });
    expect(StyleSheet.flatten(glyph().parent?.parent?.props.style)).toMatchObject({ transform: [{ scaleX: -1 }] });
  });
});

describe('progress, loaders and counters', () => {
  test('tell how far the flow is', async () => {
    const { manifest, screen: first } = flowOf([{ id: 'lyr_pr', kind: 'progress', name: 'Steps' }]);
    const second = { ...first, id: 'scr_b', regions: { body: stack('lyr_b', []) } };
    await showScreen({ ...manifest, screens: [first, second] }, first);
    const bar = screen.getByRole('progressbar', { name: 'Steps' });
    expect(bar).toHaveAccessibilityValue({ min: 0, max: 100, now: 50 });
  });

  test('lead on once the loader is full, and not at all beside an input that waits for Continue', async () => {
    const loader: Layer = {
      id: 'lyr_l',
      kind: 'loader',
      fillDelayMs: 100,
      durationMs: 400,
      targetPercent: 80,
      onComplete: { mode: 'next' },
    };
    const { responses } = await showLayers([loader], { reduced: false });
    await pass(480);
    expect(responses).toEqual([]);
    await pass(40);
    await pass(2_000);
    expect(responses).toEqual([{ kind: 'cta', action: 'primary' }]);
    expect(screen.getByRole('progressbar')).toHaveAccessibilityValue({ min: 0, max: 100, now: 80 });
    screen.unmount();
    const input: Layer = { id: 'lyr_t', kind: 'text_input', fieldKey: 'name', classification: 'safe' };
    const beside = await showLayers([
      { ...loader, variant: 'circular' },
      input,
      button('lyr_go', { kind: 'continue' }),
    ]);
    await pass(2_000);
    expect(beside.responses).toEqual([]);
  });

  test('count for the eye, and tell the result to the ear at once', async () => {
    const counter: Layer = { id: 'lyr_n', kind: 'counter', startValue: 0, endValue: 100, durationMs: 1_000 };
    await showLayers([counter], { reduced: false });
    expect(screen.getByLabelText('100')).toBeOnTheScreen();
    const shown = () => Number(within(hidden('lyr_n')).getByText(/\d/, { includeHiddenElements: true }).props.children);
    expect(shown()).toBe(0);
    await pass(500);
    expect(shown()).toBeGreaterThan(30);
    expect(shown()).toBeLessThan(70);
    await pass(1_000);
    expect(shown()).toBe(100);
    screen.unmount();
    await showLayers([{ ...counter, endValue: 90, displayKind: 'time' }]);
    expect(screen.getByRole('timer', { name: '1:30' })).toBeOnTheScreen();
    screen.unmount();
    await showLayers([{ ...counter, startValue: 90, endValue: 0, displayKind: 'time' }], { reduced: true });
    const timer = screen.getByRole('timer', { name: '1:30' });
    await pass(10_500);
    expect(within(timer).getByText('1:19', { includeHiddenElements: true })).toBeTruthy();
  });
});

describe('films and animations', () => {
  const film = (extra: Partial<Extract<Layer, { kind: 'video' }>> = {}): Layer => ({
    id: 'lyr_v',
    kind: 'video',
    media,
    ...extra,
  });
  const mediaMap = { [MEDIA]: 'https://media.example/clip.mp4' };
  const last = () => films[films.length - 1];

  test('play by themselves, muted and endlessly, unless they are told otherwise', async () => {
    await showLayers([film()], { mediaMap, reduced: false, around: withFlavour });
    expect(last()).toMatchObject({ url: mediaMap[MEDIA], fit: 'contain', loop: true, muted: true, playing: true });
    expect(style('lyr_v')).toMatchObject({ height: 160, borderRadius: 10 });
  });

  test('wait for their button', async () => {
    const layers = [
      film({ autoPlay: false, audioEnabled: true }),
      button('lyr_play', { kind: 'play_media', targetLayerIds: ['lyr_v', 'lyr_gone'] }, 'Play'),
    ];
    await showLayers(layers, { mediaMap, around: withFlavour });
    expect(last()).toMatchObject({ playing: false, muted: false });
    fireEvent.press(screen.getByRole('button', { name: 'Play' }));
    expect(plays).toEqual([mediaMap[MEDIA]]);
  });

  test('lead on once at the end, and rest when less motion is wanted', async () => {
    const layer = film({ loop: false, onComplete: { mode: 'screen', screenId: 'scr_b' } });
    const { responses } = await showLayers([layer], { mediaMap, around: withFlavour });
    expect(last()?.playing).toBe(true);
    act(() => last()?.onEnd?.());
    act(() => last()?.onEnd?.());
    expect(responses).toEqual([{ kind: 'go_to_screen', screenId: 'scr_b' }]);
    screen.unmount();
    await showLayers([film()], { mediaMap, around: withFlavour });
    expect(last()?.playing).toBe(false);
  });

  test('say which component is missing when no flavour draws them', async () => {
    jest.spyOn(console, 'error').mockReturnValue(undefined);
    await expect(showLayers([film()], { mediaMap })).rejects.toThrow('@svc/expo');
  });

  const lottie = (extra: Partial<Extract<Layer, { kind: 'lottie' }>> = {}): Layer => ({
    id: 'lyr_lo',
    kind: 'lottie',
    media,
    ...extra,
  });
  const player = () => screen.UNSAFE_getByType('LottieView' as never);

  test('an animation plays, and leads on when it has ended', async () => {
    const { responses } = await showLayers([lottie({ loop: false, onComplete: { mode: 'next' } })], {
      mediaMap,
      reduced: false,
    });
    expect(player().props).toMatchObject({
      autoPlay: true,
      loop: false,
      resizeMode: 'contain',
      source: { uri: mediaMap[MEDIA] },
    });
    act(() => player().props.onAnimationFinish(true));
    expect(responses).toEqual([]);
    act(() => player().props.onAnimationFinish(false));
    expect(responses).toEqual([{ kind: 'cta', action: 'primary' }]);
  });

  test('an animation shows its end and leads on at once when less motion is wanted', async () => {
    const { responses } = await showLayers([lottie({ loop: false, onComplete: { mode: 'next' } })], { mediaMap });
    expect(player().props).toMatchObject({ autoPlay: false, progress: 1 });
    act(() => player().props.onAnimationLoaded());
    expect(responses).toEqual([{ kind: 'cta', action: 'primary' }]);
  });
});

describe('carousels', () => {
  const slide = (id: string) => stack(`lyr_${id}`, [text(`lyr_${id}_t`, `Slide ${id}`)]);
  const carousel = (extra: Partial<Extract<Layer, { kind: 'carousel' }>> = {}): Layer => ({
    id: 'lyr_car',
    kind: 'carousel',
    slides: [slide('one'), slide('two'), slide('three')],
    ...extra,
  });
  const pager = () => screen.getByTestId('lyr_car:pager');
  const measure = (width: number) => fireEvent(pager(), 'layout', { nativeEvent: { layout: { width, height: 100 } } });
  const swipeTo = (x: number) =>
    fireEvent(pager(), 'momentumScrollEnd', { nativeEvent: { contentOffset: { x, y: 0 } } });
  const shown = () => ['one', 'two', 'three'].filter((id) => screen.queryByText(`Slide ${id}`) !== null);
  const next = button('lyr_next', { kind: 'advance_carousel', targetLayerId: 'lyr_car', onLast: 'complete' }, 'Next');

  test('show one slide to readers and to fingers, and take the one that a swipe comes to rest on', async () => {
    const { responses } = await showLayers([carousel({ pagePeek: 20, pageSpacing: 10 })]);
    measure(390);
    expect(shown()).toEqual(['one']);
    expect(pager().props.snapToInterval).toBe(360);
    swipeTo(370);
    expect(shown()).toEqual(['two']);
    expect(responses).toEqual([]);
    swipeTo(720);
    expect(responses).toEqual([{ kind: 'carousel' }]);
  });

  test('are paged by a button, which alone completes them', async () => {
    const scrollTo = jest.spyOn(ScrollView.prototype as never, 'scrollTo' as never).mockReturnValue(undefined as never);
    const { responses } = await showLayers([carousel({ openOn: 1 }), next], { reduced: false });
    expect(shown()).toEqual(['two']);
    fireEvent.press(screen.getByRole('button', { name: 'Next' }));
    expect([shown(), responses]).toEqual([['three'], []]);
    fireEvent.press(screen.getByRole('button', { name: 'Next' }));
    fireEvent.press(screen.getByRole('button', { name: 'Next' }));
    expect(responses).toEqual([{ kind: 'carousel' }]);
    scrollTo.mockRestore();
  });

  test('advance by themselves, round and round, but not under a finger or a screen reader', async () => {
    const layer = carousel({ autoAdvance: true, autoAdvanceMs: 500, loop: true });
    await showLayers([layer]);
    measure(300);
    await pass(500);
    expect(shown()).toEqual(['two']);
    fireEvent(pager(), 'scrollBeginDrag', { nativeEvent: { contentOffset: { x: 300, y: 0 } } });
    await pass(2_000);
    expect(shown()).toEqual(['two']);
    swipeTo(600);
    await pass(500);
    expect(shown()).toEqual(['one']);
    screen.unmount();
    jest.spyOn(AccessibilityInfo, 'isScreenReaderEnabled').mockResolvedValue(true);
    await showLayers([layer]);
    await pass(2_000);
    expect(shown()).toEqual(['one']);
  });

  test('can be walked through without seeing them', async () => {
    await showLayers([carousel({ pageControl: { position: 'bottom' } }), next]);
    const control = screen.getByRole('adjustable', { name: '1 / 3' });
    fireEvent(control, 'accessibilityAction', { nativeEvent: { actionName: 'increment' } });
    expect(shown()).toEqual(['two']);
    expect(screen.getByRole('adjustable')).toHaveAccessibilityValue({ min: 1, max: 3, now: 2, text: '2 / 3' });
    for (let i = 0; i < 3; i += 1) {
      fireEvent(screen.getByRole('adjustable'), 'accessibilityAction', { nativeEvent: { actionName: 'decrement' } });
    }
    expect(shown()).toEqual(['one']);
  });

  test('run the other way from right to left', async () => {
    await showLayers([carousel()], { locale: 'ar' });
    measure(300);
    expect(pager().props.contentOffset.x).toBeGreaterThan(0);
    swipeTo(300);
    expect(shown()).toEqual(['two']);
    swipeTo(600);
    expect(shown()).toEqual(['one']);
  });
});

describe('conditionals', () => {
  const conditional: Layer = {
    id: 'lyr_if',
    kind: 'conditional',
    cases: [
      {
        id: 'c1',
        expression: {
          kind: 'predicate',
          variable: { kind: 'field', fieldKey: 'name' },
          predicate: { type: 'string', pred: { op: 'eq', value: 'Ana' } },
        },
        rootLayerId: 'lyr_yes',
      },
    ],
    elseRootLayerId: 'lyr_no',
    children: [stack('lyr_yes', [text('lyr_y', 'yes')]), stack('lyr_no', [text('lyr_n', 'no')])],
  };

  test('show the branch that stored answers choose', async () => {
    await showLayers([conditional]);
    expect([screen.queryByText('yes'), screen.queryByText('no') !== null]).toEqual([null, true]);
    screen.unmount();
    const responses = { name: { kind: 'text', value: 'Ana', classification: 'safe' } } as const;
    await showLayers([conditional], { interpolationContext: { responses } });
    expect([screen.queryByText('yes') !== null, screen.queryByText('no')]).toEqual([true, null]);
  });
});

test('a kind of a later version draws nothing', async () => {
  await showLayers([{ id: 'lyr_new', kind: 'hologram' } as unknown as Layer, text('lyr_t', 'still here')]);
  expect(screen.queryByTestId('lyr_new')).toBeNull();
  expect(screen.getByText('still here')).toBeOnTheScreen();
});

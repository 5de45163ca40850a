import type { FilmHandle, NativeAdapters } from '@svc/native/sdk';
import { act, screen as shownScreen } from '@testing-library/react-native';
import { createRef } from 'react';
import { EXPO_ADAPTERS } from '../../../expo/src/adapters';
import { BARE_ADAPTERS } from '../../../react-native/src/adapters';
import { TestApp, withFreshDevice } from '../support/app';
import { twoScreens } from '../support/flows';

type Listener = () => void;

const mockPlayer = {
  playing: false,
  loop: true,
  muted: false,
  audioMixingMode: 'auto',
  ended: null as Listener | null,
  play: jest.fn(() => {
    mockPlayer.playing = true;
  }),
  pause: jest.fn(() => {
    mockPlayer.playing = false;
  }),
  replay: jest.fn(),
  addListener: (_: string, listener: Listener) => {
    mockPlayer.ended = listener;
    return { remove: () => undefined };
  },
};
const mockLoadAsync = jest.fn();
const mockExpoReview = { isAvailableAsync: jest.fn(), requestReview: jest.fn() };
const mockBareReview = { isAvailable: jest.fn(), RequestInAppReview: jest.fn() };
const mockSeek = jest.fn();

jest.mock('expo-video', () => ({ useVideoPlayer: () => mockPlayer, VideoView: 'VideoView' }));
jest.mock('expo-font', () => ({ loadAsync: mockLoadAsync }));
jest.mock('expo-store-review', () => mockExpoReview);
jest.mock('react-native-in-app-review', () => ({ default: mockBareReview }));
jest.mock('react-native-video', () => {
  const { createElement, useImperativeHandle } = jest.requireActual<typeof import('react')>('react');
  return {
    default: ({ ref, ...props }: { ref: React.Ref<object> }) => {
      useImperativeHandle(ref, () => ({ seek: mockSeek }));
      return createElement('Video', props);
    },
  };
});

withFreshDevice();
beforeEach(() => jest.clearAllMocks());

const film = async ({ Film }: NativeAdapters, props: { loop: boolean; muted: boolean; playing: boolean }) => {
  const handle = createRef<FilmHandle>();
  const onEnd = jest.fn();
  const app = new TestApp(twoScreens());
  const show = (playing: boolean) =>
    app.show(
      <Film url="https://cdn.example/a.mp4" fit="fill" {...props} playing={playing} onEnd={onEnd} handle={handle} />,
    );
  await show(props.playing);
  return { handle, onEnd, show };
};

describe("Expo's film", () => {
  it('plays as it is told, silently beside what the person listens to', async () => {
    const { show } = await film(EXPO_ADAPTERS, { loop: true, muted: true, playing: true });
    expect(mockPlayer).toMatchObject({ playing: true, loop: true, muted: true, audioMixingMode: 'mixWithOthers' });
    await show(false);
    expect(mockPlayer.playing).toBe(false);
  });

  it('starts anew when asked while it rests, and tells its end when it does not loop', async () => {
    const { handle, onEnd } = await film(EXPO_ADAPTERS, { loop: false, muted: false, playing: true });
    handle.current?.play();
    expect(mockPlayer.replay).not.toHaveBeenCalled();
    mockPlayer.playing = false;
    mockPlayer.ended?.();
    expect(onEnd).toHaveBeenCalledTimes(1);
    handle.current?.play();
    expect([mockPlayer.replay.mock.calls.length, mockPlayer.playing]).toEqual([1, true]);
  });
});

describe("the bare app's film", () => {
  const video = () => shownScreen.root.props as Record<string, unknown> & { onEnd(): void };

  it('plays as it is told, silently beside what the person listens to', async () => {
    const { show } = await film(BARE_ADAPTERS, { loop: true, muted: true, playing: true });
    expect(video()).toMatchObject({
      source: { uri: 'https://cdn.example/a.mp4' },
      resizeMode: 'stretch',
      repeat: true,
      muted: true,
      paused: false,
      mixWithOthers: 'mix',
      disableFocus: true,
    });
    await show(false);
    expect(video().paused).toBe(true);
  });

  it('starts anew when asked while it rests, and tells its end when it does not loop', async () => {
    const { handle, onEnd } = await film(BARE_ADAPTERS, { loop: false, muted: false, playing: true });
    handle.current?.play();
    expect(mockSeek).not.toHaveBeenCalled();
    await act(async () => video().onEnd());
    expect([onEnd.mock.calls.length, video().paused]).toEqual([1, true]);
    await act(async () => handle.current?.play());
    expect([mockSeek.mock.calls, video().paused]).toEqual([[[0]], false]);
  });

  it('goes on when it loops', async () => {
    const { onEnd } = await film(BARE_ADAPTERS, { loop: true, muted: false, playing: true });
    await act(async () => video().onEnd());
    expect([onEnd.mock.calls.length, video().paused]).toEqual([0, false]);
  });
});

describe('reviews', () => {
  it('are asked for where the system has them', async () => {
    mockExpoReview.isAvailableAsync.mockResolvedValueOnce(false).mockResolvedValue(true);
    expect(await EXPO_ADAPTERS.review.requestReview('ios')).toEqual({ shown: false });
    expect(await EXPO_ADAPTERS.review.requestReview('ios')).toEqual({ shown: true });
    expect(mockExpoReview.requestReview).toHaveBeenCalledTimes(1);
    mockBareReview.isAvailable.mockReturnValueOnce(false).mockReturnValue(true);
    expect(await BARE_ADAPTERS.review.requestReview('android')).toEqual({ shown: false });
    expect(await BARE_ADAPTERS.review.requestReview('android')).toEqual({ shown: true });
    expect(mockBareReview.RequestInAppReview).toHaveBeenCalledTimes(1);
  });
});

describe('fonts', () => {
  const fonts = { SvcFont__a: 'https://cdn.example/a.ttf', SvcFont__b: 'https://cdn.example/b.ttf' };

  it('are loaded one by one in Expo apps, so that a bad one takes no other along', async () => {
    mockLoadAsync.mockRejectedValueOnce(new Error('not found')).mockResolvedValue(undefined);
    await EXPO_ADAPTERS.fonts?.loadFonts(fonts);
    expect(mockLoadAsync.mock.calls).toEqual([[{ SvcFont__a: fonts.SvcFont__a }], [{ SvcFont__b: fonts.SvcFont__b }]]);
    mockLoadAsync.mockRejectedValue(new Error('offline'));
    await expect(EXPO_ADAPTERS.fonts?.loadFonts(fonts)).rejects.toThrow('none of the fonts');
  });

  it('are for the host to link in bare apps', async () => {
    await expect(BARE_ADAPTERS.fonts?.loadFonts(fonts)).resolves.toBeUndefined();
  });
});

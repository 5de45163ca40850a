import { screen as shownScreen } from '@testing-library/react-native';
import { StyleSheet } from 'react-native';
import { type Branding, Flow } from 'svc-flavour';
import { pass, TestApp, withFreshDevice } from '../support/app';
import { CHANNEL, twoScreens } from '../support/flows';

jest.mock('expo-font', () => ({ loadAsync: () => Promise.reject(new Error('offline')) }));

withFreshDevice();

const STYLE = 'c0000000-0000-4000-8000-000000000001';
const branding: Branding = {
  colorPresets: [],
  gradientPresets: [],
  fontFamilies: [
    { id: STYLE, name: 'Brand', styles: [{ id: STYLE, weight: 400, italic: false, url: 'https://cdn.example/b.ttf' }] },
  ],
};

function branded() {
  const flow = twoScreens('Hello', { branding });
  flow.manifest.theme = { ...flow.manifest.theme, fontFamily: 'Brand' } as never;
  return flow;
}

const family = () =>
  StyleSheet.flatten(shownScreen.getByText('Hello').props.style as object) as { fontFamily?: string };

it("are loaded by the host's own function, and used when they are there", async () => {
  let loaded: () => void = () => undefined;
  const fontLoader = jest.fn(
    () =>
      new Promise<void>((resolve) => {
        loaded = resolve;
      }),
  );
  const app = new TestApp(branded());
  await app.show(app.provider(<Flow channelId={CHANNEL} />, { fontLoader }));
  expect(fontLoader.mock.calls).toEqual([[{ [`SvcFont__${STYLE}`]: 'https://cdn.example/b.ttf' }]]);
  expect(family().fontFamily).toBeUndefined();
  loaded();
  await pass(0);
  expect(family().fontFamily).toBe(`SvcFont__${STYLE}`);
});

it('never hold up a flow when they cannot be loaded', async () => {
  const app = new TestApp(branded());
  await app.show(app.provider(<Flow channelId={CHANNEL} />, { fontLoader: () => Promise.reject(new Error('no')) }));
  expect(family().fontFamily).toBeUndefined();
});

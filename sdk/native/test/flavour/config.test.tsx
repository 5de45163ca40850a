import { act, screen as shown } from '@testing-library/react-native';
import { Appearance, StyleSheet, Text } from 'react-native';
import { Flow, logEvent, presentFlow, type SvcConfig, SvcProvider } from 'svc-flavour';
import { pass, TestApp, withFreshDevice } from '../support/app';
import { CHANNEL, twoScreens } from '../support/flows';

withFreshDevice();

const BROKEN: [string, SvcConfig][] = [
  ['publishableKey', { publishableKey: 'undefined' }],
  ['apiBaseUrl', { publishableKey: 'ob_pk_test_k', apiBaseUrl: 'localhost:4000' }],
  ['config', undefined as unknown as SvcConfig],
];

describe.each(BROKEN)('a wrong %s', (field, broken) => {
  const environment = process.env.NODE_ENV;
  afterEach(() => {
    process.env.NODE_ENV = environment;
  });

  const show = async (onError?: (report: unknown) => void) => {
    const app = new TestApp(twoScreens());
    await app.show(
      <SvcProvider config={broken} {...(onError ? { onError } : {})}>
        <Text>The app</Text>
        <Flow channelId={CHANNEL} fallback={<Text>Instead</Text>} />
      </SvcProvider>,
    );
    return app;
  };

  it('throws in development', async () => {
    jest.spyOn(console, 'error').mockImplementation(() => undefined);
    await expect(show()).rejects.toThrow(field === 'config' ? /config/ : field);
  });

  it('leaves the app alone in production and is reported once', async () => {
    process.env.NODE_ENV = 'production';
    const onError = jest.fn();
    await show(onError);
    logEvent('a');
    const ended = jest.fn();
    await act(async () => void presentFlow(CHANNEL).then(ended));
    await pass(10_000);
    expect(shown.getByText('The app')).toBeTruthy();
    expect(shown.getByText('Instead')).toBeTruthy();
    expect(ended).toHaveBeenCalledWith(null);
    const reports = onError.mock.calls.map(([report]) => report);
    expect(reports.filter(({ code }) => code === 'config_invalid')).toEqual([
      expect.objectContaining({ code: 'config_invalid', field }),
    ]);
  });
});

describe("theme: 'system'", () => {
  const background = () => {
    const styles = shown.UNSAFE_root.findAll((node) => typeof node.type === 'string').map(
      (node) => StyleSheet.flatten(node.props.style) as { backgroundColor?: string } | undefined,
    );
    return styles.find((style) => style?.backgroundColor !== undefined)?.backgroundColor;
  };

  it('follows the device while the flow is shown', async () => {
    let scheme: 'light' | 'dark' = 'dark';
    const watchers = new Set<() => void>();
    jest.spyOn(Appearance, 'getColorScheme').mockImplementation(() => scheme);
    jest.spyOn(Appearance, 'addChangeListener').mockImplementation((watcher) => {
      const watch = () => watcher({ colorScheme: scheme });
      watchers.add(watch);
      return { remove: () => watchers.delete(watch) } as never;
    });
    const app = new TestApp(twoScreens());
    await app.show(app.provider(<Flow channelId={CHANNEL} />, { config: { theme: 'system' } as SvcConfig }));
    const dark = background();
    scheme = 'light';
    await act(async () => {
      for (const watcher of watchers) watcher();
    });
    const light = background();
    expect([dark, light]).toEqual(['#0a0a0a', '#ffffff']);
    await app.show(
      app.provider(<Flow channelId={CHANNEL} theme="dark" />, { config: { theme: 'system' } as SvcConfig }),
    );
    expect(background()).toBe('#0a0a0a');
  });
});

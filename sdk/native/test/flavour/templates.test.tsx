import type { FlowManifest } from '@svc/core';
import { act, fireEvent, screen } from '@testing-library/react-native';
import { Platform, Pressable, TextInput, View } from 'react-native';
import { type ExternalSurfaceProps, Flow } from 'svc-flavour';
import { planWalks, readTemplates, type Step, typed, unseen } from '../../../core/test/support/template-walks';
import { pass, TestApp, withFreshDevice } from '../support/app';
import { CHANNEL, served } from '../support/flows';

// Every template, from its start to each of its ends, in each of its languages, as a device draws it.

const mockRequest = jest.fn();
const mockRequestNotifications = jest.fn();
jest.mock('react-native-permissions', () => ({
  request: mockRequest,
  requestNotifications: mockRequestNotifications,
}));

jest.setTimeout(120_000);
const { name } = jest.requireActual<{ name: string }>('svc-flavour/package.json');

withFreshDevice();
beforeEach(() => {
  Platform.OS = 'ios';
});

/** Longer than any loader of a template. */
const LONG = 40_000;

/** What an app would show for its own surfaces. */
function Host({ surfaceId, onComplete, onBack, onDismiss }: ExternalSurfaceProps) {
  return (
    <View testID={surfaceId}>
      <Pressable testID="completed" onPress={() => onComplete()} />
      <Pressable testID="back" onPress={() => onBack()} />
      <Pressable testID="dismissed" onPress={() => onDismiss()} />
    </View>
  );
}

const hosts = (manifest: FlowManifest) =>
  Object.fromEntries(
    (manifest.externalSurfaceNodes ?? []).map(({ id, config }) => [
      config.provider === 'headless' ? (config.hostKey ?? id) : id,
      Host,
    ]),
  );

const press = (id: string) => act(async () => void fireEvent.press(screen.getByTestId(id)));

async function take({ options, exit }: Step): Promise<void> {
  for (const option of options) await press(`option-${option}`);
  const words = exit.kind === 'sign_in' ? ['ada@plants.example', 'correct horse 1', 'correct horse 1'] : [typed];
  const fields = screen.UNSAFE_queryAllByType(TextInput);
  for (const [at, field] of fields.entries())
    await act(async () => void fireEvent.changeText(field, words[at] ?? typed));
  switch (exit.kind) {
    case 'option':
      return press(`option-${exit.id}`);
    case 'surface':
      return press(exit.outcome);
    case 'wait':
      return pass(LONG);
    case 'sign_in':
      return press(exit.layer);
    case 'button':
      mockRequest.mockResolvedValue(exit.outcome);
      mockRequestNotifications.mockResolvedValue({ status: exit.outcome });
      for (let at = 0; at < (exit.times ?? 1); at += 1) {
        await press(exit.layer);
        await pass(500);
      }
  }
}

const asked = ['notifications', 'photo_library'];
/** What the SDK does not ask for itself is denied. */
const prompts = (permission: string) =>
  asked.includes(permission) ? (['granted', 'denied', 'blocked'] as const) : (['denied'] as const);

describe.each(readTemplates(__dirname))('the template $id', ({ manifest }) => {
  const walks = planWalks(manifest, prompts);
  it('comes to each of its screens', () => expect(unseen(manifest, walks)).toEqual([]));

  // The flavours share the languages.
  const locales = manifest.locales.filter((locale) => (locale === manifest.defaultLocale) === (name === '@svc/expo'));
  it.each(locales)('runs to each of its ends in %s', async (locale) => {
    for (const walk of walks) {
      const ended = jest.fn();
      const app = new TestApp(served([], { manifest }));
      await app.show(
        app.provider(
          <Flow
            channelId={CHANNEL}
            locale={locale}
            externalSurfaces={hosts(manifest)}
            onOAuthLogin={({ resolve }) => resolve({ success: true })}
            onEmailPasswordAuth={({ resolve }) => resolve({ success: true })}
            onFlowCompleted={ended}
          />,
        ),
      );
      for (const step of walk) {
        expect(screen.queryAllByTestId(step.at)).toHaveLength(1);
        await take(step);
        await pass(50);
      }
      expect(ended).toHaveBeenCalledTimes(1);
      await app.unmount();
    }
  });
});

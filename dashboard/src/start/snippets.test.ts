import { expect, test } from 'vitest';
import { installCommand, sdks, snippet } from './snippets';

const target = { origin: 'https://svc.example', publishableKey: 'ob_pk_test_1' };

test.each(sdks)('what connects an app by $label names this server and its key', ({ value }) => {
  for (const channel of [undefined, 'ch_test_welcome']) {
    const text = snippet(value, { ...target, channel });
    expect(text).toContain(target.origin);
    expect(text).toContain(target.publishableKey);
    expect(text.includes('ch_test_welcome')).toBe(channel !== undefined);
  }
});

test('an app that only connects imports no flow', () => {
  expect(snippet('expo', target)).toContain("import { SvcProvider } from '@svc/expo'");
  expect(snippet('expo', { ...target, channel: 'ch' })).toContain("import { Flow, SvcProvider } from '@svc/expo'");
});

test('an SDK is installed from the server that it fits', () => {
  const packages = [
    { name: '@svc/core', url: 'https://svc.example/sdk/svc-core-1.2.0.tgz' },
    { name: '@svc/react', url: 'https://svc.example/sdk/svc-react-1.2.0.tgz' },
    { name: '@svc/expo', url: 'https://svc.example/sdk/svc-expo-1.2.0.tgz' },
  ];
  expect(installCommand('react', packages)).toBe('npm install https://svc.example/sdk/svc-react-1.2.0.tgz');
  expect(installCommand('expo', packages)).toBe(
    'npm install https://svc.example/sdk/svc-expo-1.2.0.tgz\nnpx expo install react-native-reanimated react-native-worklets',
  );
  expect(installCommand('react-native', packages)).toBeUndefined();
  expect(installCommand('http', packages)).toBeUndefined();
});

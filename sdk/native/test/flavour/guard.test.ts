import * as flavour from 'svc-flavour';

test('an app with both flavours is told which two they are', () => {
  expect(flavour.SvcProvider).toBeDefined();
  const load = (name: string) => jest.isolateModules(() => void jest.requireActual(name));
  const names = ['@svc/expo', '@svc/react-native'];
  const errors = names.map((name) => {
    try {
      load(name);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  });
  // The one under test loads again without complaint, as it does when code is reloaded.
  expect(errors.filter((error) => error === null)).toHaveLength(1);
  const [message] = errors.filter((error) => error !== null);
  for (const name of names) expect(message).toContain(name);
});

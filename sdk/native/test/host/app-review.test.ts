import { Platform } from 'react-native';
import { requestAppReview } from '../../src/host/app-review';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** Asks on a system and tells how long it took. */
async function ask(os: string, requestReview: () => Promise<{ shown: boolean }>) {
  jest.replaceProperty(Platform, 'OS', os as never);
  const began = Date.now();
  let took = -1;
  const asked = requestAppReview({ requestReview }).then((result) => {
    took = Date.now() - began;
    return result;
  });
  await jest.advanceTimersByTimeAsync(10_000);
  return { ...(await asked), took };
}

it('waits for the prompt on iOS, which tells nothing about it, and not on Android', async () => {
  const shown = async () => ({ shown: true });
  expect(await ask('ios', shown)).toEqual({ shown: true, took: 1_500 });
  expect(await ask('android', shown)).toEqual({ shown: true, took: 0 });
});

it('does not wait for a prompt that was not shown, and takes errors as none', async () => {
  expect(await ask('ios', async () => ({ shown: false }))).toEqual({ shown: false, took: 0 });
  expect(await ask('ios', () => Promise.reject(new Error('no')))).toEqual({ shown: false, took: 0 });
  expect(await ask('web', async () => ({ shown: true }))).toEqual({ shown: false, took: 0 });
});

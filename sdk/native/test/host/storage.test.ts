import { type AsyncStorageLike, DeviceStorage, STORAGE_TIMEOUT_MS } from '../../src/host/device-storage';
import { PreloadedStore } from '../../src/host/preloaded-store';

const ID = 'svc_app_user_id';
const SESSION = 'svc_product_analytics_session_id';

/** A storage in memory that takes its time, and notes what is asked of it. */
function storage(initial: Record<string, string> = {}, delayMs = 0) {
  const values = new Map(Object.entries(initial));
  const calls: string[] = [];
  const later = <T>(value: () => T): Promise<T> =>
    new Promise((resolve) => {
      setTimeout(() => resolve(value()), delayMs);
    });
  const like: AsyncStorageLike = {
    getItem: (key) => later(() => values.get(key) ?? null),
    setItem: (key, value) => {
      calls.push(`set ${key} ${value}`);
      return later(() => void values.set(key, value));
    },
    removeItem: (key) => {
      calls.push(`remove ${key}`);
      return later(() => void values.delete(key));
    },
    getAllKeys: () => later(() => [...values.keys()]),
  };
  return { values, calls, like };
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

describe('the preloaded store', () => {
  it('reads what is there once, and answers at once ever after', async () => {
    const { like, values } = storage({ [ID]: 'from-before', other: 'x' }, 100);
    const getItem = jest.spyOn(like, 'getItem');
    const store = new PreloadedStore(new DeviceStorage(() => like));
    expect(store.getItem(ID)).toBeNull();
    const loaded = Promise.all([store.load(), store.load()]);
    await pass(100);
    await loaded;
    const reads = getItem.mock.calls.length;
    expect(store.getItem(ID)).toBe('from-before');
    expect(store.keys()).toEqual([ID]);
    store.setItem(ID, 'other');
    expect(store.getItem(ID)).toBe('other');
    await pass(1_000);
    expect(values.get(ID)).toBe('other');
    expect(getItem).toHaveBeenCalledTimes(reads);
  });

  it('writes behind, in order, and of several waiting changes of one key the last', async () => {
    const { like, calls, values } = storage({}, 10);
    const store = new PreloadedStore(new DeviceStorage(() => like));
    const loaded = store.load();
    await pass(10);
    await loaded;
    store.setItem(ID, 'a');
    store.setItem(SESSION, 's1');
    store.setItem(ID, 'b');
    store.setItem(SESSION, 's2');
    store.removeItem(ID);
    store.removeItem(ID);
    store.setItem(SESSION, 's2');
    await pass(1_000);
    expect(calls).toEqual([`set ${ID} a`, `set ${SESSION} s2`, `remove ${ID}`]);
    expect([...values]).toEqual([[SESSION, 's2']]);
  });

  it('is memory alone, and leaves the device as it is, when that cannot be read', async () => {
    const { like, calls } = storage();
    const failing: AsyncStorageLike = { ...like, getItem: () => Promise.reject(new Error('blocked')) };
    const store = new PreloadedStore(new DeviceStorage(() => failing));
    await store.load();
    store.setItem(ID, 'made-up');
    await pass(1_000);
    expect(store.getItem(ID)).toBe('made-up');
    expect(calls).toEqual([]);
  });

  it('is memory alone without any storage, and where it throws at once', async () => {
    for (const find of [
      () => null,
      () => {
        throw new Error('NativeModule: AsyncStorage is null');
      },
    ]) {
      const store = new PreloadedStore(new DeviceStorage(find));
      await store.load();
      store.setItem(ID, 'a');
      expect(store.getItem(ID)).toBe('a');
    }
  });

  it('survives writes that fail', async () => {
    const { like } = storage({ [ID]: 'a' });
    const full: AsyncStorageLike = { ...like, setItem: () => Promise.reject(new Error('full')) };
    const store = new PreloadedStore(new DeviceStorage(() => full));
    const loaded = store.load();
    await pass(0);
    await loaded;
    store.setItem(ID, 'b');
    store.setItem(SESSION, 's');
    await pass(1_000);
    expect([store.getItem(ID), store.getItem(SESSION)]).toEqual(['b', 's']);
  });

  it('does not wait for ever', async () => {
    const { like } = storage();
    const silent: AsyncStorageLike = { ...like, getItem: () => new Promise(() => undefined) };
    const device = new DeviceStorage(() => silent);
    const store = new PreloadedStore(device);
    let loaded = false;
    void store.load().then(() => {
      loaded = true;
    });
    await pass(STORAGE_TIMEOUT_MS - 1);
    expect(loaded).toBe(false);
    await pass(1);
    expect(loaded).toBe(true);
    await expect(device.getItem('x')).rejects.toThrow('no storage');
  });
});

describe("the device's storage", () => {
  it('is used again once it answers after all', async () => {
    const { like } = storage({ a: '1' }, STORAGE_TIMEOUT_MS + 1_000);
    const device = new DeviceStorage(() => like);
    const late = device.getItem('a').catch((error: Error) => error.message);
    await pass(STORAGE_TIMEOUT_MS);
    expect(await late).toContain('did not answer');
    await expect(device.getItem('a')).rejects.toThrow('no storage');
    await pass(1_000);
    like.getItem = async () => '2';
    expect(await device.getItem('a')).toBe('2');
  });

  it('keeps what is large as it is asked to, and lists it', async () => {
    const { like } = storage({ a: '1' });
    const device = new DeviceStorage(() => like);
    const done = (async () => {
      await device.setItem('b', '2');
      await device.removeItem('a');
      return [await device.keys(), await device.getItem('b'), await device.getItem('a')];
    })();
    await pass(100);
    expect(await done).toEqual([['b'], '2', null]);
    expect(jest.getTimerCount()).toBe(0);
  });
});

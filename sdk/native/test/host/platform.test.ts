import { Dimensions, Platform } from 'react-native';
import { deviceContext, osPlatform } from '../../src/host/device';
import { parseUrl } from '../../src/host/parse-url';
import { randomBytes } from '../../src/host/random';

afterEach(() => jest.restoreAllMocks());

describe('addresses', () => {
  it.each([
    'https://shop.example/a/b?x=1&y=%20#z',
    'HTTPS://User:pw@Shop.Example:8443/a',
    'https://shop.example:443',
    'http://[::1]:4000/x',
    'http://10.0.2.2:4000',
    'https://shop.example?',
    'https://shop.example/#',
    'myapp://open/item?id=4',
    'mailto:ada@shop.example',
  ])('%s are taken apart as browsers do', (address) => {
    const { protocol, host, hostname, pathname, search, hash } = new (jest.requireActual('node:url').URL)(address);
    expect(parseUrl(address)).toEqual({ protocol, host, hostname, pathname, search, hash });
  });

  it.each(['', 'shop.example/a', '/a', 'https://', 'https:///a', '1https://a', 'https://a b/'])(
    '%j is none',
    (address) => {
      expect(parseUrl(address)).toBeNull();
    },
  );
});

describe('random bytes', () => {
  const scope = globalThis as { crypto?: unknown };
  const { crypto } = scope;
  const put = (value: unknown) => Object.defineProperty(scope, 'crypto', { value, configurable: true, writable: true });
  afterEach(() => put(crypto));

  it('come from the system', () => {
    put({ getRandomValues: (bytes: Uint8Array) => bytes.fill(7) });
    expect([...randomBytes(3)]).toEqual([7, 7, 7]);
  });

  it.each([
    ['without a source', undefined],
    [
      'when its native half is missing',
      {
        getRandomValues: () => {
          throw new Error('Native module not found');
        },
      },
    ],
  ])('are made up %s', (_, source) => {
    put(source);
    const bytes = randomBytes(64);
    expect(bytes).toHaveLength(64);
    expect(new Set(bytes).size).toBeGreaterThan(8);
  });
});

describe('the device', () => {
  const android = (width: number, height: number) => {
    jest.replaceProperty(Platform, 'OS', 'android' as never);
    jest.spyOn(Dimensions, 'get').mockReturnValue({ width, height, scale: 2, fontScale: 1 });
  };

  it('is named as the service names those of browsers', () => {
    const locale = Intl.DateTimeFormat().resolvedOptions().locale;
    expect([osPlatform(), deviceContext()]).toEqual(['ios', { os: 'iOS', device: 'mobile', locale }]);
    android(411, 891);
    expect([osPlatform(), deviceContext()]).toEqual(['android', { os: 'Android', device: 'mobile', locale }]);
    android(1280, 800);
    expect(deviceContext().device).toBe('tablet');
    jest.replaceProperty(Platform, 'OS', 'web' as never);
    expect([osPlatform(), deviceContext()]).toEqual(['web', { locale }]);
  });
});

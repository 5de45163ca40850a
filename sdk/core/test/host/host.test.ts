import { describe, expect, it, vi } from 'vitest';
import { parseRetryAfter } from '../../src/api/http';
import { checkPublishableKey, resolveApiBaseUrl } from '../../src/config';
import { uuidV4, uuidV7 } from '../../src/host/ids';
import { createLogger } from '../../src/host/log';
import { createSafeStore } from '../../src/host/memory-store';
import { clip, utf8Length } from '../../src/host/text-size';
import { createMemoryStore, DEFAULT_API_BASE_URL } from '../../src/index';
import { FakePlatform } from '../support/fake-platform';

describe('base URL', () => {
  it.each([
    [{}, DEFAULT_API_BASE_URL],
    [{ apiBaseURL: 'http://10.0.2.2:4000//' }, 'http://10.0.2.2:4000'],
    [{ apiBaseUrl: ' https://a.test/svc/ ', apiBaseURL: 'https://b.test' }, 'https://a.test/svc'],
  ])('%j → %s', (config, expected) => {
    expect(resolveApiBaseUrl(config)).toBe(expected);
  });

  it.each(['localhost:4000', 'ftp://x', 'https://x?y=1'])('refuses %j and names the field', (apiBaseUrl) => {
    expect(() => resolveApiBaseUrl({ apiBaseUrl })).toThrow(/apiBaseUrl/);
  });
});

it('refuses keys that are none', () => {
  for (const publishableKey of ['', ' ', 'svc_wk_x', 'ob_pk_prod_x']) {
    expect(() => checkPublishableKey({ publishableKey })).toThrow(/publishableKey/);
  }
  expect(() => checkPublishableKey({ publishableKey: 'ob_pk_live_x' })).not.toThrow();
});

describe('ids', () => {
  const platform = new FakePlatform(() => 'network-error');
  it('have their version and variant', () => {
    expect(uuidV4(platform)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(uuidV7(platform)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
  it('of version 7 begin with the time', () => {
    expect(Number.parseInt(uuidV7(platform).replace(/-/g, '').slice(0, 12), 16)).toBe(platform.now());
  });
  it('of version 7 tell their maker, and differ', async () => {
    const random = { now: () => 1, randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
    const makerOf = (id: string) => id.slice(19, 26);
    const ids = Array.from({ length: 1000 }, () => uuidV7(random));
    expect(new Set(ids.map(makerOf)).size).toBe(1);
    expect(new Set(ids).size).toBe(1000);
    vi.resetModules();
    const other = await import('../../src/host/ids');
    expect(makerOf(other.uuidV7(random))).not.toBe(makerOf(ids[0]!));
  });
});

describe('sizes', () => {
  it.each(['', 'abc', 'ä', '€', '😀', 'a😀b', '\ud800', '\udc00x', '\ud800\ud800'])('UTF-8 length of %j', (text) => {
    expect(utf8Length(text)).toBe(Buffer.byteLength(text, 'utf8'));
  });
  it('clips without splitting a pair', () => {
    expect([clip('abc', 2), clip('a😀', 2), clip('a😀', 3), clip('', 5)]).toEqual(['ab', 'a', 'a😀', '']);
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 0, 1);
  it.each([
    [null, null],
    ['', null],
    ['soon', null],
    ['3', 3_000],
    ['9999', 300_000],
    ['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ])('%j → %j', (header, ms) => {
    expect(parseRetryAfter(header, now)).toBe(ms);
  });
});

describe('safe store', () => {
  it('shadows what the store refuses', () => {
    const inner = createMemoryStore();
    inner.setItem('kept', '1');
    let broken = true;
    const store = createSafeStore({
      ...inner,
      setItem: (key, value) => {
        if (broken) throw new Error('full');
        inner.setItem(key, value);
      },
      removeItem: (key) => {
        if (broken) throw new Error('full');
        inner.removeItem(key);
      },
    });
    store.setItem('a', '1');
    store.removeItem('kept');
    expect([store.getItem('a'), store.getItem('kept'), store.keys()]).toEqual(['1', null, ['a']]);
    broken = false;
    store.setItem('a', '2');
    expect([inner.getItem('a'), store.getItem('a')]).toEqual(['2', '2']);
  });
});

describe('log levels', () => {
  it.each([
    ['silent', true, 0],
    ['warn', true, 1],
    ['debug', true, 2],
    ['debug', false, 1],
  ] as const)('%s in a development build (%s) prints %d lines', (level, developmentBuild, lines) => {
    const platform = new FakePlatform(() => 'network-error');
    platform.developmentBuild = developmentBuild;
    const logger = createLogger(platform, level);
    logger.warn('w');
    logger.debug('d');
    expect(platform.logged).toHaveLength(lines);
  });
});

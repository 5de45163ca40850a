import { describe, expect, it } from 'vitest';
import { ConsentState } from '../../src/analytics/consent';
import { cleanViewName } from '../../src/analytics/limits';
import { MAX_BUFFERED_CALLS, ModuleRelay } from '../../src/analytics/relay';
import { pageName } from '../../src/analytics/web-attribution';

describe('consent', () => {
  it('takes the config at mount, and later only when its value changes', () => {
    const consent = new ConsentState('granted');
    expect(consent.set('denied')).toBe(true);
    expect(consent.applyConfig('granted')).toBe(false);
    expect(consent.current).toBe('denied');
    expect(consent.applyConfig('pending')).toBe(true);
    expect(consent.applyConfig(undefined)).toBe(false);
    expect(consent.current).toBe('pending');
  });

  it('is pending when nobody said anything, and a call before mount wins', () => {
    expect(new ConsentState(undefined).current).toBe('pending');
    expect(new ConsentState('granted', 'denied').current).toBe('denied');
    expect(new ConsentState('pending', 'granted').set('granted')).toBe(false);
  });
});

describe('module relay', () => {
  it('keeps a hundred calls with their times until a client is there', () => {
    let now = 0;
    const relay = new ModuleRelay<string[]>(
      () => now,
      () => false,
    );
    for (let i = 0; i < MAX_BUFFERED_CALLS + 5; i += 1) {
      now = i;
      relay.run((seen, at) => seen.push(`${i}@${at}`));
    }
    const seen: string[] = [];
    relay.attach(seen);
    expect(seen).toHaveLength(MAX_BUFFERED_CALLS);
    expect(seen[7]).toBe('7@7');
    relay.run((client) => client.push('direct'));
    expect(seen[seen.length - 1]).toBe('direct');
    relay.detach([]);
    expect(relay.attached).toBe(seen);
    relay.detach(seen);
    relay.run((client) => client.push('kept'));
    const next: string[] = [];
    relay.attach(next);
    expect([next, seen.includes('kept')]).toEqual([['kept'], false]);
  });

  it('does nothing on a server', () => {
    const relay = new ModuleRelay<string[]>(
      () => 0,
      () => true,
    );
    const client: string[] = [];
    relay.run((seen) => seen.push('x'));
    relay.attach(client);
    expect([client, relay.attached]).toEqual([[], null]);
  });
});

it.each([
  [{ pathname: '/a/b', hash: '' }, '/a/b'],
  [{ pathname: '/a', hash: '#section' }, '/a'],
  [{ pathname: '/', hash: '#/cart?x=1' }, '/cart'],
  [{ pathname: '/', hash: '#!/cart' }, '/cart'],
  [{ pathname: '', hash: '' }, '/'],
])('page name of %j is %s', (page, name) => {
  expect(pageName(page)).toBe(name);
});

it('cuts a page name by characters, so that long names in any script stay apart', () => {
  const address = (text: string) => ({ pathname: encodeURI(text), hash: '' });
  const path = `/${'長い'.repeat(90)}`;
  const names = [`${path}一`, `${path}二`].map((text) => cleanViewName(pageName(address(text))));
  expect(names).toEqual([`${path}一`, `${path}二`]);
  expect(cleanViewName(pageName(address(`/${'🦊'.repeat(150)}`)))).toBe(`/${'🦊'.repeat(99)}`);
});

import { expect, test } from 'vitest';
import { linkTo } from './link';
import { qrOf } from './qr';

test('a QR code is as large as its text needs, and there is none of a text that is too long', () => {
  expect(qrOf('a'.repeat(17))).toHaveLength(21);
  expect(qrOf('a'.repeat(18))).toHaveLength(25);
  expect(qrOf('ü'.repeat(429))).toHaveLength(97);
  expect(qrOf('a'.repeat(859))).toBeUndefined();
  // Nothing around it, which the page draws: the finder begins in the corner.
  expect(qrOf('a')![0]!.slice(0, 8)).toEqual([true, true, true, true, true, true, true, false]);
});

test('a link is the address of an app with the token in its query', () => {
  expect(linkTo(' https://example.com ', 'a-b_c')).toBe('https://example.com?svc.preview=a-b_c');
  expect(linkTo('https://example.com/go?x=1#part', 't')).toBe('https://example.com/go?x=1&svc.preview=t#part');
  expect(linkTo('myapp://', 't')).toBe('myapp://?svc.preview=t');
  for (const none of ['', 'example.com', 'https://', 'https:// x', 'a b://c'])
    expect(linkTo(none, 't')).toBeUndefined();
});

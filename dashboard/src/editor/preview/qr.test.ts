import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { linkTo } from './link';
import { qrOf } from './qr';

test('a QR code is that of the standard', () => {
  // Both agree, module by module, with what another encoder makes with the same mask.
  const drawn = qrOf('https:/')!.map((row) => row.map((dark) => (dark ? '#' : '.')).join(''));
  expect(drawn).toEqual([
    '#######..#.##.#######',
    '#.....#..###..#.....#',
    '#.###.#.##.##.#.###.#',
    '#.###.#..#.#..#.###.#',
    '#.###.#...#.#.#.###.#',
    '#.....#.....#.#.....#',
    '#######.#.#.#.#######',
    '........##.##........',
    '###.########.##...#..',
    '#.####..##....##....#',
    '#.#...##....#...#.###',
    '.#..#..##.#...#.#..#.',
    '##.##.##..#.#.##.#...',
    '........##.#.#.##..##',
    '#######.####.##.#.###',
    '#.....#.#..###.##...#',
    '#.###.#.####.##..#.##',
    '#.###.#..##...#.##.#.',
    '#.###.#.#.#.#...#.#.#',
    '#.....#.##....#.#..#.',
    '#######.##..#.#.##.##',
  ]);
  const large = qrOf('https://example.com/?svc.preview='.padEnd(400, 'abc'));
  expect(createHash('sha256').update(JSON.stringify(large)).digest('hex')).toBe(
    'fbfb3dbe405162e30d70b482d32c7d131eab61d90f40499351e5782d12c0d34d',
  );
});

test('a QR code is as large as its text needs, and there is none of a text that is too long', () => {
  expect(qrOf('a'.repeat(17))).toHaveLength(21);
  expect(qrOf('a'.repeat(18))).toHaveLength(25);
  expect(qrOf('ü'.repeat(429))).toHaveLength(97);
  expect(qrOf('a'.repeat(859))).toBeUndefined();
});

test('a link is the address of an app with the token in its query', () => {
  expect(linkTo(' https://example.com ', 'a-b_c')).toBe('https://example.com?svc.preview=a-b_c');
  expect(linkTo('https://example.com/go?x=1#part', 't')).toBe('https://example.com/go?x=1&svc.preview=t#part');
  expect(linkTo('myapp://', 't')).toBe('myapp://?svc.preview=t');
  for (const none of ['', 'example.com', 'https://', 'https:// x', 'a b://c'])
    expect(linkTo(none, 't')).toBeUndefined();
});

import { expect, test } from 'vitest';
import { croppable, croppedName, pixelsOf } from './crop';
import { typeOf } from './files';

const part = (x: number, y: number, width: number, height: number) => ({ unit: '%' as const, x, y, width, height });

test('a part is whole pixels within its picture', () => {
  expect(pixelsOf(part(0, 0, 100, 100), 641, 479)).toEqual({ x: 0, y: 0, width: 641, height: 479 });
  expect(pixelsOf(part(25, 50, 50, 50), 200, 100)).toEqual({ x: 50, y: 50, width: 100, height: 50 });
  // Both round up; what is left of three pixels after two is one.
  expect(pixelsOf(part(50, 0, 50, 100), 3, 3)).toEqual({ x: 2, y: 0, width: 1, height: 3 });
  expect(pixelsOf(part(10, 10, 0.1, 50), 100, 100)).toBeUndefined();
});

test('the name of a part tells the library what it is', () => {
  for (const contentType of ['image/png', 'image/jpeg', 'image/webp']) {
    expect(croppable(contentType)).toBe(true);
    expect(typeOf(croppedName('Sunrise', contentType))).toBe('IMAGE');
  }
  expect(['image/svg+xml', 'image/gif', 'video/mp4'].filter(croppable)).toEqual([]);
});

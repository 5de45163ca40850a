import { expect, test } from 'vitest';
import type { DraftProblem } from './queries';
import { grouped } from './told';

const problem = (code: string, stepId: string) => ({ code, stepId }) as DraftProblem;

test('what only differs between platforms stands behind the problems of the screens', () => {
  const review = problem('parity.app_review', 'scr_1');
  const camera = problem('parity.web_permission', 'scr_2');
  const color = problem('layer.missing_color', 'scr_2');
  const picture = problem('image.no_description', 'scr_1');
  const size = problem('touch.too_small', 'scr_2');
  expect(grouped([review, camera, color, picture, size])).toEqual([
    ['scr_2', [color, size]],
    ['scr_1', [picture]],
    ['platforms', [review, camera]],
  ]);
  expect(grouped([color])).toEqual([['scr_2', [color]]]);
});

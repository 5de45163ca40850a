import { expect, it } from 'vitest';
import { lengthOf } from './length';

const screen = (more: object, ...children: object[]) =>
  ({ id: 'scr', regions: { body: { id: 'body', kind: 'stack', children } }, ...more }) as never;
const clip = (more: object) => ({ id: 'clip', targetLayerId: 'text', trigger: 'mount', durationMs: 400, ...more });

it('says how long a screen moves', () => {
  expect(lengthOf(screen({}))).toBe(0);
  const animations = [clip({ delayMs: 100 }), clip({ trigger: 'stagger', staggerIndex: 3 })];
  expect(lengthOf(screen({ animations }))).toBe(580);
  expect(lengthOf(screen({ animations, stagger: { stepMs: 200 } }))).toBe(1000);
  const pulse = { id: 'motion', preset: 'pulse', loop: true };
  expect(lengthOf(screen({ animations }, { id: 'text', kind: 'text', restingMotions: [pulse] }))).toBe(580 + 1800);
  expect(lengthOf(screen({ animations }, { id: 'loads', kind: 'loader', durationMs: 900 }))).toBe(900);
  expect(lengthOf(screen({}, { id: 'counts', kind: 'counter', durationMs: 700, delayMs: 50 }))).toBe(750);
});

it('says nothing of what is not finished', () => {
  expect(lengthOf(screen({ animations: [clip({ durationMs: undefined })] }))).toBe(0);
  expect(lengthOf(screen({ animations: 3 }))).toBe(0);
});

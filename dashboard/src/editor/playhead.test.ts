import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Playhead } from './playhead';

const screen = { id: 'scr_goal' };
let reduced = false;
let frames: (() => void)[] = [];
let now = 0;

beforeEach(() => {
  [reduced, frames, now] = [false, [], 0];
  vi.stubGlobal('matchMedia', () => ({ matches: reduced }));
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame));
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => void vi.unstubAllGlobals());

function at(ms: number) {
  now = ms;
  for (const frame of frames.splice(0)) frame();
}

function playhead(length: number): Playhead {
  const made = new Playhead();
  made.set({ lengthOf: () => length });
  return made;
}

test('plays to the end, where all rests, and stops where it is told to', () => {
  const it = playhead(500);
  expect(it.toggle(screen)).toBe(true);
  at(200);
  expect(it.state.moment).toEqual({ screen: 'scr_goal', ms: 200, plays: true });
  expect(it.toggle(screen)).toBe(true);
  at(300);
  expect(it.state.moment).toEqual({ screen: 'scr_goal', ms: 200 });
  it.toggle(screen);
  at(450);
  expect(it.state.moment?.ms).toBe(350);
  at(700);
  expect(it.state.moment).toBe(undefined);
  expect(frames).toEqual([]);
});

test('a moment that is chosen while it plays stays', () => {
  const it = playhead(500);
  it.toggle(screen);
  it.set({ moment: { screen: 'scr_goal', ms: 80 } });
  at(200);
  expect(it.state.moment).toEqual({ screen: 'scr_goal', ms: 80 });
});

test('plays nothing where nothing moves, and where the system asks for less motion', () => {
  expect(playhead(0).toggle(screen)).toBe('Nothing on this screen moves');
  expect(playhead(500).toggle(undefined)).toBe('Select a screen to play its animations');
  reduced = true;
  const it = playhead(500);
  expect(it.toggle(screen)).toMatch(/less motion/);
  expect(it.state.moment).toBe(undefined);
});

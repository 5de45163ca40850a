import { describe, expect, it } from 'vitest';
import type { AnimationClip, Easing, RestingMotion } from '../../src/index';
import { entranceEndMs, sampleClips, screenTimelineMs } from '../../src/motion/clip';
import { ease } from '../../src/motion/easing';
import { restingMotions, restingPhase, restingStartMs, sampleResting } from '../../src/motion/resting';
import { screen } from '../support/builders';

const clip = (extra: Partial<AnimationClip>): AnimationClip => ({
  id: 'c1',
  targetLayerId: 'lyr_a',
  trigger: 'mount',
  durationMs: 100,
  tracks: [
    {
      property: 'opacity',
      keyframes: [
        { t: 0, value: 0 },
        { t: 1, value: 1 },
      ],
    },
  ],
  ...extra,
});

describe('easing', () => {
  it('keeps the ends and rises between them', () => {
    const names: Easing[] = ['linear', 'ease-in', 'ease-out', 'ease-in-out', 'standard', 'emphasized'];
    for (const name of names) {
      expect([ease(name, -1), ease(name, 0), ease(name, 1), ease(name, 2)]).toEqual([0, 0, 1, 1]);
      for (let x = 0; x < 1; x += 0.05) expect(ease(name, x + 0.05)).toBeGreaterThan(ease(name, x));
    }
  });

  it('has the shape of its curve', () => {
    expect(ease('ease-in-out', 0.5)).toBeCloseTo(0.5, 5);
    expect(ease('ease-in', 0.5)).toBeCloseTo(0.3154, 3);
    expect(ease('ease-out', 0.5)).toBeCloseTo(0.6846, 3);
  });
});

describe('clips', () => {
  const at = (clips: AnimationClip[], t: number, stepMs?: number) =>
    sampleClips({ animations: clips, ...(stepMs === undefined ? {} : { stagger: { stepMs } }) }, 'lyr_a', t);

  it('shows the first keyframe before the start, runs, and keeps the end', () => {
    const clips = [clip({ delayMs: 50 })];
    expect(at(clips, 0)).toEqual({ opacity: 0 });
    expect(at(clips, 100).opacity).toBeCloseTo(0.5);
    expect(at(clips, 150)).toEqual({ opacity: 1 });
    expect(at(clips, Number.POSITIVE_INFINITY)).toEqual({ opacity: 1 });
  });

  it('delays staggered layers by their index', () => {
    const staggered = clip({ trigger: 'stagger', staggerIndex: 2 });
    expect(at([staggered], 170).opacity).toBeCloseTo(0.5);
    expect(at([staggered], 70, 10).opacity).toBeCloseTo(0.5);
  });

  it('lets later clips override and never applies an exit early', () => {
    const exit = clip({
      id: 'c2',
      trigger: 'unmount',
      delayMs: 200,
      tracks: [
        {
          property: 'opacity',
          keyframes: [
            { t: 0, value: 0.7 },
            { t: 1, value: 0 },
          ],
        },
      ],
    });
    expect(at([exit], 0)).toEqual({});
    expect(at([clip({}), exit], 150)).toEqual({ opacity: 1 });
    expect(at([clip({}), exit], 250).opacity).toBeCloseTo(0.35);
    expect(at([clip({}), exit], 1000)).toEqual({ opacity: 0 });
    expect(at([clip({}), exit], Number.POSITIVE_INFINITY)).toEqual({ opacity: 1 });
  });

  it('holds back a waiting entrance while an earlier clip is under way', () => {
    const later = clip({
      id: 'c2',
      delayMs: 80,
      tracks: [
        {
          property: 'translateX',
          keyframes: [
            { t: 0, value: -30 },
            { t: 1, value: 0 },
          ],
        },
      ],
    });
    expect(at([clip({}), later], 50)).toEqual({ opacity: 0.5 });
  });

  it('jumps at two keyframes of one place', () => {
    const jump = clip({
      tracks: [
        {
          property: 'scale',
          keyframes: [
            { t: 0, value: 1 },
            { t: 0.5, value: 1 },
            { t: 0.5, value: 2 },
            { t: 1, value: 2 },
          ],
        },
      ],
    });
    expect(at([jump], 49).scale).toBe(1);
    expect(at([jump], 50).scale).toBe(2);
  });

  it('shows the end at once without a duration', () => {
    expect(at([clip({ durationMs: 0 })], 0)).toEqual({ opacity: 1 });
  });

  it('counts clips and loaders into the time line', () => {
    const flow = screen('scr_a', [{ id: 'lyr_l', kind: 'loader', fillDelayMs: 100, durationMs: 900 }]);
    const withClip = { ...flow, animations: [clip({ delayMs: 300 })] };
    expect(screenTimelineMs(withClip, flow.regions.body.children)).toBe(1000);
    expect(entranceEndMs(withClip, 'lyr_a')).toBe(400);
  });
});

describe('resting motion', () => {
  const motion = (extra: Partial<RestingMotion> & Pick<RestingMotion, 'preset'>): RestingMotion => extra;

  it('starts after the entrance unless a place on the time line is given', () => {
    const flow = { animations: [clip({})] };
    expect(restingStartMs(motion({ preset: 'pulse', delayMsAfterMountEnd: 30 }), flow, 'lyr_a')).toBe(130);
    expect(restingStartMs(motion({ preset: 'pulse', timelineStartMs: 7 }), flow, 'lyr_a')).toBe(7);
  });

  it('loops or ends', () => {
    const once = motion({ preset: 'bounce', durationMs: 1000 });
    expect([-1, 0, 500, 1000].map((t) => restingPhase(once, 0, t))).toEqual([null, 0, 0.5, null]);
    const looping = motion({ preset: 'scale', loop: true, scalePatternDurationMs: 400, cycleDurationMs: 999 });
    expect(restingPhase(looping, 0, 900)).toBe(0.25);
  });

  it.each([
    ['default translate', { preset: 'translate' }, 0.5, { translateXPercent: 0, translateYPercent: 6 }],
    [
      'translate without return',
      { preset: 'translate', translatePeakXPercent: 50, translateSpringBack: false },
      0.5,
      { translateXPercent: 25, translateYPercent: 0 },
    ],
    ['old translate in px', { preset: 'translate', translateRangePx: 10 }, 0.5, { translateX: 0, translateY: 10 }],
    ['bounce', { preset: 'bounce', bounceAmplitudePx: 8 }, 0.5, { translateY: -8 }],
    ['scale down', { preset: 'scale', scaleDirection: 'down', scalePercent: 20 }, 0.5, { scale: 0.8 }],
    ['scale out only', { preset: 'scale', scaleSpringBack: false }, 1, { scale: 1.08 }],
    ['pulse', { preset: 'pulse' }, 0.5, { opacity: 0.62 }],
    ['rotate', { preset: 'rotate', rotateMaxDeg: 20, rotateDirection: 'counterclockwise' }, 0.5, { rotate: -20 }],
  ] as const)('%s', (_, given, phase, expected) => {
    const sample = sampleResting(given as RestingMotion, phase) as Record<string, number>;
    for (const [key, value] of Object.entries(expected)) expect(sample[key]).toBeCloseTo(value);
  });

  it('prefers the list of motions', () => {
    const single = motion({ preset: 'pulse' });
    expect(restingMotions({ restingMotion: single })).toEqual([single]);
    expect(restingMotions({ restingMotion: single, restingMotions: [] })).toEqual([single]);
    expect(restingMotions({ restingMotion: single, restingMotions: [{ id: 'x', preset: 'rotate' }] })).toHaveLength(1);
  });
});

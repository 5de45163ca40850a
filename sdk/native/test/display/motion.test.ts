import type { AnimationClip, Layer, RestingMotion, Screen } from '@svc/core';
import { motionAt } from '@svc/react-core';
import { motionPlan, planEndMs } from '../../src/motion/motion-plan';
import { motionStyle, samplePlan } from '../../src/motion/sample-plan';
import { screen, text } from '../support/manifests';

/** Numbers that look random and are the same each time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

type Random = () => number;
const pick = <T>(next: Random, values: readonly T[]): T => values[Math.floor(next() * values.length)] as T;
const upTo = (next: Random, limit: number): number => Math.round(next() * limit);

const PROPERTIES = ['opacity', 'translateX', 'translateY', 'scale'] as const;
const EASINGS = [undefined, 'linear', 'ease-in', 'ease-out', 'ease-in-out', 'standard', 'emphasized'] as const;

function randomClip(next: Random, id: string): AnimationClip {
  const trigger = pick(next, ['mount', 'stagger', 'unmount'] as const);
  const middle = [next(), next(), next()].slice(0, upTo(next, 3)).sort((a, b) => a - b);
  const keyframes = [0, ...middle, 1].map((t) => {
    const easing = pick(next, EASINGS);
    return { t, value: next() * 40 - 10, ...(easing ? { easing } : {}) };
  });
  return {
    id,
    targetLayerId: 'lyr_m',
    trigger,
    ...(trigger === 'stagger' ? { staggerIndex: upTo(next, 5) } : {}),
    durationMs: pick(next, [0, 300, 900]),
    ...(next() > 0.5 ? { delayMs: upTo(next, 800) } : {}),
    tracks: PROPERTIES.filter(() => next() > 0.5)
      .concat('opacity')
      .filter((property, i, all) => all.indexOf(property) === i)
      .map((property) => ({ property, keyframes })),
  };
}

function randomMotion(next: Random): RestingMotion {
  const maybe = <T>(value: T): T | undefined => (next() > 0.5 ? value : undefined);
  const motion = {
    preset: pick(next, ['translate', 'bounce', 'scale', 'pulse', 'rotate'] as const),
    durationMs: maybe(200 + upTo(next, 900)),
    cycleDurationMs: maybe(200 + upTo(next, 900)),
    scalePatternDurationMs: maybe(200 + upTo(next, 900)),
    loop: maybe(true),
    intensity: maybe(next() * 2),
    bounceAmplitudePx: maybe(1 + upTo(next, 60)),
    scaleDirection: maybe(pick(next, ['up', 'down'] as const)),
    scaleSpringBack: maybe(false),
    scalePercent: maybe(upTo(next, 200)),
    translatePeakXPercent: maybe(next() * 400 - 200),
    translatePeakYPx: maybe(next() * 100 - 50),
    translateSpringBack: maybe(false),
    rotateMaxDeg: maybe(upTo(next, 360)),
    rotateDirection: maybe('counterclockwise' as const),
    rotateSpringBack: maybe(false),
    pulseMinOpacity: maybe(next()),
    delayMsAfterMountEnd: maybe(upTo(next, 500)),
    timelineStartMs: maybe(upTo(next, 1500)),
  };
  return JSON.parse(JSON.stringify(motion)) as RestingMotion;
}

function randomScreen(seed: number): { screen: Screen; layer: Layer } {
  const next = random(seed);
  const layer: Layer = {
    ...text('lyr_m', 'moves'),
    restingMotions: Array.from({ length: upTo(next, 3) }, (_, i) => ({ id: String(i), ...randomMotion(next) })),
  };
  const animations = Array.from({ length: upTo(next, 3) }, (_, i) => randomClip(next, `c${i}`));
  return { layer, screen: screen('scr_a', [layer], { animations, stagger: { stepMs: upTo(next, 200) } }) };
}

/** The steps of a transform with x and y apart, as React Native wants them. */
function expected(drawn: ReturnType<typeof motionAt>) {
  const transform = drawn.transform.flatMap((step): object[] => {
    const unit = (value: number) => (step.kind === 'translate' && step.unit === '%' ? `${value}%` : value);
    if (step.kind === 'translate') return [{ translateX: unit(step.x) }, { translateY: unit(step.y) }];
    return step.kind === 'rotate' ? [{ rotate: `${step.degrees}deg` }] : [{ scale: step.factor }];
  });
  return { transform, opacity: drawn.opacity };
}

/** Numbers to three digits, and no negative zero: both sides round, and may fall to different sides of a half. */
function near(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(value * 100) / 100 + 0;
  if (typeof value === 'string') return value.replace(/-?\d+(\.\d+)?/, (number) => String(near(Number(number))));
  if (Array.isArray(value)) return value.map(near);
  return Object.fromEntries(Object.entries(value as object).map(([key, part]) => [key, near(part)]));
}

function difference(left: unknown, right: unknown): number {
  const numbers = (value: unknown): number[] =>
    (JSON.stringify(value).match(/-?\d+(\.\d+)?(e-?\d+)?/g) ?? []).map(Number);
  const [a, b] = [numbers(left), numbers(right)];
  return Math.max(0, ...a.map((value, i) => Math.abs(value - (b[i] ?? Number.NaN))));
}

test('a plan moves as the rules of core do, at every moment of any screen', () => {
  for (let seed = 1; seed <= 400; seed += 1) {
    const { screen: flow, layer } = randomScreen(seed);
    const plan = motionPlan(flow, layer);
    for (const t of [0, 1, 137, 300, 450, 777, 1200, 2500, 9000, Number.POSITIVE_INFINITY]) {
      const drawn = samplePlan(plan, t);
      const wanted = expected(motionAt(flow, layer, t));
      expect([seed, t, drawn.transform.map((step) => Object.keys(step)[0])]).toEqual([
        seed,
        t,
        wanted.transform.map((step) => Object.keys(step)[0]),
      ]);
      expect(difference(near(drawn), near(wanted))).toBeLessThan(0.02);
    }
  }
});

test('a layer has come to rest when its last clip and its last motion are over', () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const { screen: flow, layer } = randomScreen(seed);
    const end = planEndMs(flow, layer);
    const plan = motionPlan(flow, layer);
    if (end === Number.POSITIVE_INFINITY) expect(plan.resting.some((rest) => rest.loop)).toBe(true);
    else expect(samplePlan(plan, end)).toEqual(samplePlan(plan, end + 5_000));
  }
});

test('a box is turned and pressed before it moves', () => {
  const moved = { transform: [{ translateX: 4 }, { translateY: 0 }], opacity: 0.5 };
  expect(motionStyle(moved, { opacity: 0.5, rotate: 45 }, 1)).toEqual({
    opacity: 0.25 * 0.85,
    transform: [{ rotate: '45deg' }, { scale: 0.97 }, { translateX: 4 }, { translateY: 0 }],
  });
  expect(motionStyle({ transform: [], opacity: 1 }, { opacity: 1, rotate: 0 })).toEqual({ opacity: 1, transform: [] });
});

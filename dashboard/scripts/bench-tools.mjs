// What the measurements of bench.mjs share.
import { chromium } from 'playwright-core';

const rows = [];
/** `reference` is what others weigh or take, where that is known: see the head of bench.mjs. */
export const report = (what, value, unit, budget, reference = '') => {
  rows.push({ value, budget });
  const verdict = budget === undefined ? '' : `${value <= budget ? 'within' : 'BEYOND'} ${budget}`;
  console.log(
    `${what.padEnd(56)} ${value.toFixed(0).padStart(6)} ${unit.padEnd(3)} ${verdict.padEnd(12)} ${reference}`,
  );
};
export const isBeyond = () => rows.some(({ value, budget }) => budget !== undefined && value > budget);

export const quantile = (values, q) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))];
export const median = (values) => quantile(values, 0.5);

export const open = (...args) =>
  chromium.launch({
    executablePath: process.env.CHROME_BIN ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run', ...args],
  });

/** Milliseconds from `act` until `until` holds and the frame that shows it is painted. Both are JavaScript of the page. */
export const timed = (page, act, until) =>
  page.evaluate(`(async () => {
    const began = performance.now();
    ${act};
    while (!(${until})) await new Promise((frame) => requestAnimationFrame(frame));
    await new Promise((frame) => requestAnimationFrame(() => setTimeout(frame)));
    return performance.now() - began;
  })()`);

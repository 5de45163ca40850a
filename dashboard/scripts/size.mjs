// Prints what a first visit and the editor load, and fails beyond the budgets of weigh.mjs.
import { budgets, weigh } from './weigh.mjs';

const { first, styles, later, editor } = weigh(new URL('../dist/app', import.meta.url).pathname);
const list = (chunks, count) => {
  for (const { name, kB } of chunks.slice(0, count)) console.log(`  later: ${kB.toFixed(1)} kB ${name}`);
};
console.log(
  `first load: ${first.toFixed(1)} kB of JavaScript (budget ${budgets.first}), ${styles.toFixed(1)} kB of styles`,
);
list(later, 6);
console.log(
  `editor beside the renderer: ${editor.whole.toFixed(1)} kB with all of its parts (budget ${budgets.editor})`,
);
list(editor.parts, 6);
for (const [what, weight, budget] of [
  ['first load', first, budgets.first],
  ['editor', editor.whole, budgets.editor],
]) {
  if (weight <= budget) continue;
  console.error(`the ${what} is ${(weight - budget).toFixed(1)} kB over its budget`);
  process.exitCode = 1;
}

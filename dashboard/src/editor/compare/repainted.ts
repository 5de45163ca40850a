import { isObject } from '../document/canonical';
import type { Json, JsonObject, NodeId } from '../document/operation';
import type { StepChanges } from './changes';

/** Kinds that are drawn in the theme's primary color where they have none of their own. */
const inPrimary = ['progress', 'loader', 'scale_input', 'single_choice', 'multiple_choice'];

export type Repainted = { screen: NodeId; name: string };

/** The screens that look different because the theme is another, in the order of the flow. Those that are told of
 * themselves are left out. */
export function repaintedBy(before: unknown, after: unknown, steps: readonly StepChanges[]): Repainted[] {
  const themes = [before, after].map((flow) => objectOf(objectOf(flow).theme));
  const names = [...new Set(themes.flatMap((theme) => Object.keys(theme)))];
  const changed = names.filter((name) => themes[0]![name] !== themes[1]![name]);
  if (changed.length === 0) return [];
  const told = new Set(steps.map(({ step }) => step));
  return listOf(after).flatMap((screen) => {
    const { id, name } = screen;
    if (typeof id !== 'string' || told.has(id)) return [];
    const text = JSON.stringify(screen);
    const isOther = changed.some(
      (one) =>
        one === 'fontFamily' ||
        text.includes(`"$${one}"`) ||
        (one === 'primary' && inPrimary.some((kind) => text.includes(`"kind":"${kind}"`))),
    );
    return isOther ? [{ screen: id, name: typeof name === 'string' && name ? name : id }] : [];
  });
}

const objectOf = (value: unknown): JsonObject => (isObject(value as Json) ? (value as JsonObject) : {});

function listOf(flow: unknown): JsonObject[] {
  const { screens } = objectOf(flow);
  return Array.isArray(screens) ? screens.filter(isObject) : [];
}

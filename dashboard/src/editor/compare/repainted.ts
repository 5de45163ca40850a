import { isObject } from '../document/canonical';
import type { Json, JsonObject, NodeId } from '../document/operation';
import type { StepChanges } from './changes';

/** Kinds whose bar is in the theme's primary color where it has none of its own. Chosen options are too, but a screen
 * opens without one. */
const bars = /^(progress|loader|scale_input)$/;

function hasPlainBar(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some(hasPlainBar);
  if (!isObject(value)) return false;
  if (typeof value.kind === 'string' && bars.test(value.kind) && value.fillColor === undefined) return true;
  return Object.values(value).some(hasPlainBar);
}

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
      (one) => one === 'fontFamily' || text.includes(`"$${one}"`) || (one === 'primary' && hasPlainBar(screen)),
    );
    return isOther ? [{ screen: id, name: typeof name === 'string' && name ? name : id }] : [];
  });
}

const objectOf = (value: unknown): JsonObject => (isObject(value as Json) ? (value as JsonObject) : {});

function listOf(flow: unknown): JsonObject[] {
  const { screens } = objectOf(flow);
  return Array.isArray(screens) ? screens.filter(isObject) : [];
}

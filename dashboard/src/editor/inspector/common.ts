import { canonical, find, isObject } from '../document/canonical';
import type { Json, JsonObject } from '../document/operation';
import { applies, type Control, type Property, propertiesOf, requiredOf } from '../properties';

export type CommonProperty = { path: readonly string[]; section: Property['section']; control: Control };

/** What is set for several layers at once: not what tells one from others, and not what leads somewhere. */
const together = /^(text|line|number|switch|choice|color|icon|font|spacing|size|media|variant|list)$/;
const ofOne = /^(name|fieldKey|optionId|defaultOptionId)$/;

/** The properties that each of some layers has, set by the same control, and that do something in each of them. */
export function propertiesOfAll(layers: readonly JsonObject[]): CommonProperty[] {
  const [first, ...others] = layers;
  if (!first) return [];
  const known = [...new Set(others.map(({ kind }) => String(kind)))].map(
    (kind) => new Map(propertiesOf(kind).map(({ path, control }) => [path.join('/'), JSON.stringify(control)])),
  );
  return propertiesOf(String(first.kind)).flatMap((property) => {
    const { path, section, control } = property;
    if (!('is' in control) || !together.test(control.is) || ofOne.test(path[0]!)) return [];
    const said = JSON.stringify(control);
    if (!known.every((properties) => properties.get(path.join('/')) === said)) return [];
    if (!layers.every((layer) => applies(property, layer, String(layer.kind)))) return [];
    return [{ path, section, control }];
  });
}

/** Whether a property must be there in any of some layers. */
export const isRequired = (layers: readonly JsonObject[], [first = '']: readonly string[]): boolean =>
  layers.some(({ kind }) => requiredOf(String(kind)).has(first));

/** What several objects have alike: the members of which they all have the same, with what is alike inside of others. */
export function alike(objects: readonly JsonObject[]): JsonObject {
  const [first = {}, ...others] = objects;
  return Object.fromEntries(
    Object.entries(first).flatMap(([name, value]): [string, Json][] => {
      const values = [value, ...others.map((other) => other[name])];
      if (values.every(isObject)) return [[name, alike(values)]];
      return areSame(values) ? [[name, value]] : [];
    }),
  );
}

/** What of a property differs among objects: nothing is '', all of it is '.', of distances it is their sides. */
export function differing(objects: readonly JsonObject[], path: readonly string[], control: Control): string {
  const values = objects.map((object) => find(object, path));
  if (control.is !== 'spacing') return areSame(values) ? '' : '.';
  return ['t', 'r', 'b', 'l'].filter((side) => !areSame(values.map((value) => find(value, [side])))).join('');
}

const areSame = (values: readonly (Json | undefined)[]): boolean => {
  const [first, ...others] = values;
  return others.every(
    (other) => other === first || (other !== undefined && first !== undefined && canonical(other) === canonical(first)),
  );
};

/** What few layers have: limits of a size, shadows, turns. */
export const isSeldom = ([first = '', second = '']: readonly string[]) =>
  first === 'style' && /^(min|max)(Width|Height)$|^(shadow|rotate|strokeWidth|backgroundOpacity)$/.test(second);

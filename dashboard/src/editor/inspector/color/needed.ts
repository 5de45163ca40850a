import { find, isObject } from '../../document/canonical';
import type { JsonObject } from '../../document/operation';
import { isButton, isField } from './behind';

/** The contrast of level AA that a color needs, and whether what it is compared with is the layer's own background. */
export type Needed = { least: number; own: boolean; as: string };

/** The sizes from which on text is large, in px: of bold text, and of any. */
const large = { bold: 18.66, any: 24 };

/** What WCAG 2 asks of a property's color; undefined where it asks for nothing, as of backgrounds and shadows. */
export function neededBy(kind: string, path: readonly string[], object: JsonObject): Needed | undefined {
  const name = path.at(-1)!;
  const control = { least: 3, own: true, as: 'for a control' };
  if (path.includes('border')) return isButton(kind) || isField(kind) ? { ...control, own: false } : undefined;
  if (name === 'background') return isButton(kind) ? { ...control, own: false } : undefined;
  if (/^(fill|thumb|check|active|default)Color$/.test(name)) return control;
  if (name !== 'color' || !/[sS]tyle$/.test(path.at(-2) ?? '')) return undefined;
  if (kind === 'icon') return { ...control, as: 'for an icon' };
  const base = find(object, ['style']);
  const inner = find(object, path.slice(0, -1));
  const style = { ...(isObject(base) ? base : {}), ...(isObject(inner) ? inner : {}) };
  const size = Number(style.fontSize ?? 16);
  const isLarge = size >= (Number(style.fontWeight) >= 700 ? large.bold : large.any);
  return isLarge ? { least: 3, own: true, as: 'for large text' } : { least: 4.5, own: true, as: 'for text' };
}

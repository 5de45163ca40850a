import shape from '../../../../../manifest/shape/shape.json';
import type { Spot } from './spot';

type Schema = {
  $ref?: string;
  type?: string;
  description?: string;
  enum?: readonly string[];
  const?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
};

/** What can be written at a place: the text that stands there then, and what it is. */
export type Offer = { label: string; write: string; detail?: string };

/** What a node may lead to, by its id. */
export type Targets = readonly { value: string; label: string }[];

const kinds = shape.kinds as unknown as Record<string, Schema & { variants?: Record<string, Schema> }>;
const types = shape.types as unknown as Record<string, Schema>;

/** Lists what the schema has for a place in the JSON of a node. */
export function offersAt(kind: string, { is, path, names }: Spot, targets: Targets): Offer[] {
  const { properties, variants = {} } = kinds[kind] ?? {};
  let schemas: Schema[] = [{ ...(properties && { properties }) }, ...Object.values(variants)];
  for (const name of path)
    schemas = schemas.flatMap(formsOf).flatMap((one) => (name ? one.properties?.[name] : one.items) ?? []);
  const forms = schemas.flatMap(formsOf);
  const offers =
    is === 'value'
      ? [...forms.flatMap(valuesOf), ...(schemas.some(isTarget) ? targets.map(toOffer) : [])]
      : forms.flatMap(({ properties = {} }) =>
          Object.entries(properties)
            .filter(([name]) => !names.includes(name) && name !== 'id' && !(path.length === 0 && name === 'kind'))
            .map(([name, schema]) => ({ label: name, write: `"${name}": `, ...detailOf(schema) })),
        );
  return [...new Map(offers.map((offer) => [offer.label, offer])).values()];
}

/** A schema without names: its forms, each with all of its members. */
function formsOf({ $ref, allOf = [], oneOf = [], anyOf = [], ...own }: Schema): Schema[] {
  const named = $ref ? formsOf(types[$ref.replace('#/$defs/', '')] ?? {}) : [];
  return [own, ...named, ...[...allOf, ...oneOf, ...anyOf].flatMap(formsOf)];
}

function valuesOf({ enum: values = [], const: only, type }: Schema): Offer[] {
  const all: unknown[] = [
    ...values,
    ...(only === undefined ? [] : [only]),
    ...(type === 'boolean' ? [true, false] : []),
  ];
  return all.map((value) => ({ label: String(value), write: JSON.stringify(value) }));
}

const isTarget = ({ $ref = '' }: Schema) => $ref.endsWith('Target');

const toOffer = ({ value, label }: Targets[number]): Offer => ({
  label: value,
  write: JSON.stringify(value),
  detail: label,
});

function detailOf({ description }: Schema): Pick<Offer, 'detail'> {
  return description ? { detail: description.replace(/\.$/, '') } : {};
}

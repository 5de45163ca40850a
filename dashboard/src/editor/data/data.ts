import type { Answer, Subject } from '../../sentences/operators';
import { keyWords } from '../../sentences/words';
import { attributesOf, eachObject } from '../attributes';
import { isObject } from '../document/canonical';
import { fieldOf } from '../document/commands/fields';
import { type Document, eachNode, type Found, isItem, nodeOf, slotsOf } from '../document/document';
import type { JsonObject, NodeId } from '../document/operation';
import { usesIn } from '../document/reference';
import { nameOf } from '../names';
import { subjectsOf } from '../subjects';

/** Where a value is set or used: a layer, or a decision. */
export type Place = {
  node: NodeId;
  /** The screen or decision, and the layer of the screen. */
  step: string;
  layer: string;
  /** Whether texts show the value there, not conditions ask for it. */
  inText: boolean;
};

/** A value that a run of the flow knows: an answer, an attribute of the app, or what the device is. */
export type Datum = {
  /** The same while the value is, whatever its key. */
  id: string;
  group: 'field' | 'attribute' | 'device';
  key: string;
  name: string;
  /** What it holds, in words. */
  type: string;
  /** Whether answers stay out of events. */
  sensitive: boolean;
  setBy: readonly Place[];
  usedIn: readonly Place[];
  options: NonNullable<Subject['options']>;
};

const types: Record<Answer, string> = {
  option: 'One option',
  options: 'Several options',
  text: 'Text',
  number: 'Number',
  yes: 'Yes or no',
  attribute: 'Any',
  none: 'Address',
};

const permission = 'Permission';

const inputs = { date: 'Date', time: 'Time', 'datetime-local': 'Date and time' };

const groups: Record<string, Datum['group']> = { field: 'field', sdk: 'attribute', builtin: 'device' };

/** Lists what a flow knows: the answers in the order of the flow, then what the app and the device tell. What is used
 * but nothing sets is listed too. */
export function dataIn(document: Document): Datum[] {
  const found = new Map<string, Datum & { setBy: Place[]; usedIn: Place[] }>();
  let told = 0;
  const add = (subject: Subject) => {
    const { kind, key = subject.variable.fieldKey ?? subject.variable.name } = subject.variable;
    const group = groups[String(kind)]!;
    const own = String(key);
    const datum = { group, key: own, name: subject.name, setBy: [], usedIn: [], sensitive: false };
    const type = typeOf(subject);
    const id = group === 'attribute' ? `attribute ${told++}` : `${group} ${own}`;
    // Those of a permission or a device are not the flow's.
    const options = group === 'field' && type !== permission ? (subject.options ?? []) : [];
    found.set(`${group} ${own}`, { ...datum, id, type, options });
  };
  for (const subject of subjectsOf(document)) add(subject);
  eachNode(nodeOf(document, 'flow')!, (node) => {
    const { sets, uses } = valuesOf(node);
    const setter = sets === undefined ? undefined : found.get(`field ${sets}`);
    if (setter) {
      if (setter.setBy.length === 0) setter.id = node.id;
      setter.sensitive ||= node.object.classification === 'sensitive';
      setter.setBy.push(placeOf(node, false));
    }
    for (const [key, inText] of uses) {
      const [group, ...rest] = key.split(' ') as [Datum['group'], ...string[]];
      const own = rest.join(' ');
      if (!found.has(key)) add({ ...unknown, variable: variables[group](own), name: keyWords(own) });
      found.get(key)!.usedIn.push(placeOf(node, inText));
    }
  });
  // What an attribute holds is known from what it is compared with.
  for (const { key, type } of attributesOf(document.flow)) {
    const attribute = found.get(`attribute ${key}`)!;
    if (attribute.usedIn.length > 0) attribute.type = types[type];
  }
  const order = Object.values(groups);
  return [...found.values()].toSorted((a, b) => order.indexOf(a.group) - order.indexOf(b.group));
}

const unknown = { group: '', answer: 'attribute' } as const;

const variables: Record<Datum['group'], (key: string) => JsonObject> = {
  field: (fieldKey) => ({ kind: 'field', fieldKey }),
  attribute: (key) => ({ kind: 'sdk', key }),
  device: (name) => ({ kind: 'builtin', name }),
};

const typeOf = ({ answer, input, variable }: Subject) =>
  String(variable.fieldKey).startsWith('permission:') ? permission : input ? inputs[input] : types[answer];

type Values = { sets: string | undefined; uses: ReadonlyMap<string, boolean> };

const known = new WeakMap<JsonObject, Values>();

/** What a node itself sets and uses, found once for each that it was: most edits change one node and those around it. */
function valuesOf(node: Found): Values {
  const before = known.get(node.object);
  if (before) return before;
  const { action } = node.object;
  const asked = isObject(action) && action.kind === 'request_os_permission' ? action.permissionKey : undefined;
  const sets = typeof asked === 'string' ? `permission:${asked}` : fieldOf(node);
  const uses = new Map<string, boolean>();
  const own = ownOf(node);
  // By the same rules as renaming, so that what is listed is what a rename changes.
  const note = (group: string) => (key: string, text: boolean) => {
    uses.set(`${group} ${key}`, uses.get(`${group} ${key}`) ?? text);
    return key;
  };
  usesIn(own, 'field', undefined, note('field'));
  usesIn(own, 'attribute', undefined, note('attribute'));
  const ofDevice = note('device');
  eachObject(own, ({ kind, name }) => {
    if (kind === 'builtin' && typeof name === 'string') ofDevice(name, false);
  });
  const values = { sets: node.kind === 'email_password_auth' ? undefined : sets, uses };
  known.set(node.object, values);
  return values;
}

/** A node without what stands in it, and without the key that it declares. */
function ownOf({ kind, object }: Found): JsonObject {
  const slots = new Set(slotsOf(kind).map(([, slot]) => slot.path[0]));
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== 'fieldKey' && !slots.has(name)));
}

/** Where an option of a question is compared with its answer. */
export function optionUses(document: Document, field: string, option: string): Place[] {
  const out: Place[] = [];
  eachNode(nodeOf(document, 'flow')!, (node) => {
    if (!valuesOf(node).uses.has(`field ${field}`)) return;
    let used = false;
    usesIn(ownOf(node), 'option', field, (key) => {
      used ||= key === option;
      return key;
    });
    if (used) out.push(placeOf(node, false));
  });
  return out;
}

function placeOf(node: Found, inText: boolean): Place {
  let owner = node;
  while (isItem(owner.kind) && owner.parent) owner = owner.parent;
  let step = owner;
  while (step.parent && step.parent.kind !== 'flow') step = step.parent;
  const name = (one: Found) => nameOf(one.object, one.kind, one.slot);
  return { node: owner.id, step: name(step), layer: step === owner ? '' : name(owner), inText };
}

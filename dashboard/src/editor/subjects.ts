import type { Answer, Subject } from '../sentences/operators';
import { keyWords } from '../sentences/words';
import { attributeKeys } from './attributes';
import { find, isObject } from './document/canonical';
import { childrenOf, type Document, type Found, isLayer, nodeOf } from './document/document';
import { optionWords } from './document/exits';
import type { JsonObject, NodeId } from './document/operation';
import { screenOf } from './document/selection';
import { screensIn } from './screens';

/** What the kinds of question answer, as conditions see it (manifest.md §8). */
const answers: Record<string, Answer> = {
  single_choice: 'option',
  multiple_choice: 'options',
  text_input: 'text',
  scale_input: 'number',
  wheel_picker: 'text',
  checkbox: 'yes',
  date_time_input: 'text',
  number_stepper: 'number',
  phone_input: 'text',
  address_input: 'none',
};

const inputs: Record<string, Subject['input']> = { date: 'date', time: 'time', datetime: 'datetime-local' };

const permission = 'permission:';
const outcomes = ['granted', 'denied', 'blocked'].map((value) => ({ value, label: keyWords(value) }));
const platforms = [
  { value: 'ios', label: 'iOS' },
  { value: 'android', label: 'Android' },
  { value: 'web', label: 'Web' },
];

/** What conditions of a flow can be about, in the order of the flow: answers, attributes, the device. At a layer the
 * questions of its screen that come at it or behind it are left out: they are not answered yet. */
export function subjectsOf(document: Document, at?: NodeId): Subject[] {
  const own = at === undefined ? null : screenOf(document, at);
  const found = new Map<string, Subject>();
  for (const { id } of screensIn(document.flow)) {
    const screen = nodeOf(document, String(id));
    if (!screen) continue;
    for (const subject of own === screen.id ? askedOn(screen, at) : allOf(screen)) {
      const key = String(subject.variable.fieldKey);
      if (!found.has(key)) found.set(key, subject);
    }
  }
  return [
    ...found.values(),
    ...attributeKeys(document.flow).map((key): Subject => {
      return {
        variable: { kind: 'sdk', key },
        name: keyWords(key),
        group: 'Attributes of the app',
        answer: 'attribute',
      };
    }),
    builtin('platform', 'Platform', platforms),
    builtin('locale', 'Language'),
  ];
}

const known = new WeakMap<JsonObject, Subject[]>();

/** What a screen asks, found once for each that it was: most edits change one screen of many. */
function allOf(screen: Found): Subject[] {
  const all = known.get(screen.object) ?? askedOn(screen);
  known.set(screen.object, all);
  return all;
}

/** What a screen asks up to a layer of it. */
function askedOn(screen: Found, before?: NodeId): Subject[] {
  const layers = layersOf(screen);
  const end = layers.findIndex(({ id }) => id === before);
  return layers.slice(0, end < 0 ? layers.length : end).flatMap((layer) => answerOf(layer, screen) ?? []);
}

function builtin(name: string, words: string, options?: Subject['options']): Subject {
  const variable = { kind: 'builtin', name };
  return { variable, name: words, group: 'Device', answer: 'text', ...(options && { options }) };
}

/** The layers of a screen in the order in which they show. */
function layersOf(screen: Found): Found[] {
  const regions = childrenOf(screen).filter(({ kind }) => isLayer(kind));
  const order = ['header', 'body', 'footer'];
  const all = (node: Found): Found[] => [
    node,
    ...childrenOf(node)
      .filter(({ kind }) => isLayer(kind))
      .flatMap(all),
  ];
  return regions.toSorted((a, b) => order.indexOf(a.slot) - order.indexOf(b.slot)).flatMap(all);
}

function answerOf(layer: Found, screen: Found): Subject | undefined {
  const { kind, object } = layer;
  const from = { group: String(screen.object.name || 'Screen'), asked: screen.id };
  const asked =
    find(object, ['action', 'kind']) === 'request_os_permission' && find(object, ['action', 'permissionKey']);
  if (typeof asked === 'string') {
    const variable = { kind: 'field', fieldKey: permission + asked };
    return { variable, name: keyWords(variable.fieldKey), ...from, answer: 'text', options: outcomes };
  }
  const answer = answers[kind];
  if (!answer || typeof object.fieldKey !== 'string') return undefined;
  const options = optionsOf(layer);
  const input = kind === 'date_time_input' ? inputs[String(object.mode ?? 'date')] : undefined;
  return {
    variable: { kind: 'field', fieldKey: object.fieldKey },
    name: keyWords(object.fieldKey),
    ...from,
    answer: kind === 'wheel_picker' && options ? 'option' : answer,
    ...(options && { options }),
    ...(input && { input }),
  };
}

/** The options of a choice or a wheel with their words. */
function optionsOf(layer: Found): Subject['options'] {
  const { optionBindings, options, mode } = layer.object;
  const items = Array.isArray(optionBindings) ? optionBindings : mode === 'date' ? undefined : options;
  if (!Array.isArray(items) || items.length === 0) return undefined;
  return items.filter(isObject).map(({ optionId, label }) => {
    const value = String(optionId);
    const words = Array.isArray(optionBindings) ? optionWords(layer, value) : find(label, ['default']);
    return { value, label: typeof words === 'string' && words !== '' ? words : keyWords(value) };
  });
}

import * as v from 'valibot';
import { formatSeconds } from '../ui/format';

/** What the page reads of a definition (docs/automations.md); a draft may hold anything. */
const text = v.fallback(v.optional(v.string()), undefined);
const nodeSchema = v.looseObject({
  id: v.string(),
  type: v.string(),
  next: text,
  // biome-ignore lint/suspicious/noThenProperty: the definition calls it so
  then: text,
  else: text,
  arms: v.fallback(v.array(v.looseObject({ weight: v.number(), next: text })), []),
});
const definitionSchema = v.looseObject({
  trigger: v.fallback(v.looseObject({ type: v.string() }), { type: '' }),
  nodes: v.fallback(v.array(v.unknown()), []),
});

export type Node = v.InferOutput<typeof nodeSchema>;
/** Steps one after another, and how they end: at the end, or where another path was drawn already. */
export type Path = { steps: Step[]; joins?: string };
export type Step = { node: Node; branches: { name: string; path: Path }[] };

/** The paths through a definition, as they are drawn: from the first node down, each node once. */
export function pathOf(definition: unknown): Path {
  const nodes = v
    .parse(v.fallback(definitionSchema, { trigger: { type: '' }, nodes: [] }), definition)
    .nodes.flatMap((node) => {
      const read = v.safeParse(nodeSchema, node);
      return read.success ? [read.output] : [];
    });
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const drawn = new Set<string>();
  const from = (id: string | undefined): Path => {
    const steps: Step[] = [];
    for (let node = byId.get(id ?? ''); node; node = byId.get(node.next ?? '')) {
      if (drawn.has(node.id)) return { steps, joins: node.id };
      drawn.add(node.id);
      const branches = targetsOf(node).map(({ name, to }) => ({ name, path: from(to) }));
      steps.push({ node, branches });
      if (branches.length > 0) break;
    }
    return { steps };
  };
  return from(nodes[0]?.id);
}

function targetsOf(node: Node): { name: string; to: string | undefined }[] {
  switch (node.type) {
    case 'condition':
      return [
        { name: 'Yes', to: node.then },
        { name: 'No', to: node.else },
      ];
    case 'waitForEvent':
      return [
        { name: 'Converted', to: node.then },
        { name: 'Not converted', to: node.else },
      ];
    case 'split': {
      const all = node.arms.reduce((sum, { weight }) => sum + weight, 0) || 1;
      return node.arms.map(({ weight, next }) => ({ name: `${Math.round((weight / all) * 100)}%`, to: next }));
    }
    default:
      return [];
  }
}

const endings: Record<string, string> = { completed: 'completes', abandoned: 'abandons' };

/** What starts a definition, in words. `names` names segments, goals and flows by id. */
export function triggerWords(definition: unknown, names: ReadonlyMap<string, string> = new Map()): string {
  const named = (id: unknown, other: string) => {
    const name = names.get(String(id ?? '').toLowerCase());
    return name === undefined ? other : `“${name}”`;
  };
  const trigger = v.parse(v.fallback(definitionSchema, { trigger: { type: '' }, nodes: [] }), definition).trigger;
  switch (trigger.type) {
    case 'event':
      return `User tracks ${say(trigger.event)}`;
    case 'flow':
      return `User ${endings[String(trigger.outcome)] ?? 'ends'} ${named(trigger.flowId, 'a flow')}`;
    case 'ledger':
      return `Revenue recorded: ${Array.isArray(trigger.kinds) ? trigger.kinds.map(say).join(', ') : ''}`;
    case 'segment':
      return `User enters ${named(trigger.segmentId, 'a segment')}`;
    case 'goal':
      return `User meets ${named(trigger.goalId, 'a goal')}`;
    case 'manual':
      return 'Users added manually';
    default:
      return 'No trigger yet';
  }
}

/** What a node does, in words. `endpoints` names endpoints by id. */
export function nodeWords(node: Node, endpoints: ReadonlyMap<string, string>): string {
  switch (node.type) {
    case 'condition':
      return `${conditionWords(node.if)}?`;
    case 'delay':
      return delayWords(node);
    case 'waitForEvent':
      return `Wait ${duration(node.timeoutSeconds)} for ${say(node.event)}`;
    case 'split':
      return 'Random split';
    case 'webhook':
      return `Send ${say(node.messageType)} to ${endpoints.get(String(node.endpointId)) ?? 'a deleted destination'}`;
    case 'email':
      return `Send email: ${say(node.subject)}`;
    case 'exit':
      return 'End';
    default:
      return node.type;
  }
}

const weekdays = ['', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

function delayWords(node: Node): string {
  const until = members(node.until);
  if (until) {
    const days = Array.isArray(until.weekdays) ? until.weekdays.map((day) => weekdays[Number(day)]).join(', ') : '';
    return `Wait until ${say(until.time)}${days && ` on ${days}`}`;
  }
  const property = members(node.untilProperty);
  if (property) {
    const offset = Number(property.offsetSeconds ?? 0);
    const shift = offset && ` ${offset < 0 ? 'less' : 'and'} ${formatSeconds(Math.abs(offset))}`;
    return `Wait until ${say(property.of)}.${say(property.property)}${shift || ''}`;
  }
  return `Wait ${duration(node.seconds)}`;
}

/** The operators of conditions, as they read. */
export const operators = {
  eq: 'is',
  ne: 'is not',
  in: 'is one of',
  contains: 'contains',
  gt: '>',
  gte: '≥',
  lt: '<',
  lte: '≤',
  exists: 'is known',
  absent: 'is not known',
};

/** A condition in words, at most three levels deep. */
export function conditionWords(condition: unknown, depth = 3): string {
  const read = members(condition);
  if (!read || depth === 0) return '…';
  const each = (list: unknown, word: string) =>
    Array.isArray(list) ? list.map((part) => conditionWords(part, depth - 1)).join(word) : '…';
  if ('all' in read) return each(read.all, ' and ');
  if ('any' in read) return each(read.any, ' or ');
  if ('not' in read) return `not (${conditionWords(read.not, depth - 1)})`;
  const { of, property, op = 'eq', value } = read;
  const words = (operators as Record<string, string>)[String(op)] ?? String(op);
  return `${say(of)}.${say(property) || '…'} ${words}${value === undefined ? '' : ` ${say(value)}`}`;
}

const members = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;

const duration = (seconds: unknown) => (typeof seconds === 'number' ? formatSeconds(seconds) : 'for a while');

/** A value as a short text. */
function say(value: unknown): string {
  const words =
    typeof value === 'string' ? value : Array.isArray(value) ? value.map(say).join(', ') : JSON.stringify(value);
  return words === undefined ? '…' : words.length > 80 ? `${words.slice(0, 79)}…` : words;
}

/** A definition to begin with: an hour after an event, a message. */
export const starter = (endpoint: string | undefined) => ({
  trigger: { type: 'event', event: 'cart_abandoned' },
  exit: { events: ['order_placed'], purchase: true },
  goal: { events: ['order_placed'], days: 7 },
  nodes: [
    { id: 'hour', type: 'delay', seconds: 3600, next: 'remind' },
    {
      id: 'remind',
      type: 'webhook',
      endpointId: endpoint ?? '',
      messageType: 'cart.abandoned',
      data: { to: '{{person.email}}', name: '{{person.firstName}}' },
    },
  ],
});

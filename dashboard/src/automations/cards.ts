import { placeOf, readDefinition, type StepType } from './edit';
import { type Node, nodeWords } from './workflow';

export const typeNames: Record<StepType, string> = {
  delay: 'Wait',
  waitForEvent: 'Wait for an event',
  condition: 'Condition',
  split: 'Random split',
  email: 'Email',
  webhook: 'Webhook',
  exit: 'End',
};

type Endpoints = ReadonlyMap<string, string>;

/** A card as it reads in the workflow; the id of one that the definition does not have. */
export function cardName(definition: unknown, id: string, endpoints: Endpoints): string {
  const step = readDefinition(definition).nodes.find((node) => node.id === id);
  return step ? wordsOf(step, endpoints) : id;
}

function wordsOf(step: { id: string; type: string }, endpoints: Endpoints): string {
  if (step.type === 'email' || step.type === 'condition') {
    const own = nodeWords({ arms: [], ...step } as Node, endpoints).replace(/^Send email: /, '');
    return `${typeNames[step.type]}${own.replace(/…|\?/g, '').trim() && ` “${own}”`}`;
  }
  return nodeWords({ arms: [], ...step } as Node, endpoints) || step.type;
}

/** The members of definitions as their fields are called. */
const members: Record<string, string> = {
  if: 'condition',
  where: 'condition',
  when: 'condition',
  all: '',
  any: '',
  not: '',
  arms: 'branch',
  of: 'source',
  op: 'operator',
  event: 'event',
  events: 'event',
  kinds: 'kind',
  endpointId: 'destination',
  messageType: 'message type',
  timeoutSeconds: 'time',
  seconds: 'time',
  segmentId: 'segment',
  goalId: 'goal',
  untilProperty: 'time in a property',
  until: 'time of day',
};

/** The card that a problem is about, and the row and the field: `Email “Hello”, subject`, `Condition, row 1, property`. */
export function problemPlace(definition: unknown, pointer: string, endpoints: Endpoints): string {
  const read = readDefinition(definition);
  const { step, member } = placeOf(read, pointer);
  const card = step ? wordsOf(step, endpoints) : pointer.startsWith('/trigger') ? 'Trigger' : 'Workflow';
  const parts = member
    .split(' ')
    .map((part, i, all) =>
      /^\d+$/.test(part)
        ? `${/^(all|any)$/.test(all[i - 1] ?? '') ? 'row ' : ''}${Number(part) + 1}`
        : (members[part] ?? part),
    )
    .filter(Boolean);
  // A condition's own card need not say it twice.
  const said = step?.type === 'condition' && parts[0] === 'condition' ? parts.slice(1) : parts;
  return [card, said.join(' ').replace(/ row/g, ', row')].filter(Boolean).join(': ');
}

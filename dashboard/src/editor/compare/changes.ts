import { find } from '../document/canonical';
import { type Flow, isItem, isLayer, open } from '../document/document';
import { isStep, optionWords } from '../document/exits';
import type { NodeId } from '../document/operation';
import { wordsOf } from '../labels';
import { kindName, nameOf } from '../names';
import { type NodeStatus, type Placed, type Side, sideOf, statusesOf } from './placed';
import { differencesOf, startsWith } from './property';
import { clip, quoted } from './words';

/** One difference between two drafts or versions of a flow, as a person says it. */
export type Change = {
  kind: 'added' | 'removed' | 'moved' | 'changed';
  /** The nodes that it is about; those inside what was added or removed are meant, too. */
  nodes: readonly NodeId[];
  /** The property that was changed; the node as a whole without one. */
  path?: readonly string[];
  /** The layer to show it at. */
  layer: NodeId | null;
  /** The name of the layer; empty for the step itself. */
  subject: string;
  words: string;
};

/** What is different in a screen, decision or surface; of the flow itself where `step` is null. */
export type StepChanges = {
  step: NodeId | null;
  kind: string;
  name: string;
  is: 'added' | 'removed' | 'changed';
  changes: readonly Change[];
};

/** Says what is different in `after`, by steps in its order, the flow last. Undefined for drafts that have parts which the
 * editor would repair first. */
export function compareFlows(before: unknown, after: unknown): StepChanges[] | undefined {
  try {
    return compareSides(sideOf(open(before as Flow)), sideOf(open(after as Flow)));
  } catch {
    return undefined;
  }
}

function compareSides(before: Side, after: Side): StepChanges[] {
  const statuses = statusesOf(before, after);
  const groups = new Map<NodeId | null, Change[]>();
  const add = (step: NodeId | null, change: Change | undefined) => {
    if (change) groups.set(step, [...(groups.get(step) ?? []), change]);
  };
  const told = new Teller(before, after, statuses);
  for (const [id, node] of after.nodes) {
    const status = statuses.get(id)!;
    if (node.kind === 'position') continue;
    if (status === 'added') add(node.step, told.added(node));
    else if (status === 'moved') for (const [step, change] of told.moved(node)) add(step, change);
    else if (status === 'reordered') add(node.step, told.reordered(node));
    if (status !== 'added') for (const change of told.changed(node)) add(node.step, change);
  }
  for (const node of before.nodes.values())
    if (statuses.get(node.id) === 'removed' && node.kind !== 'position') add(node.step, told.removed(node));
  add(null, told.arranged());
  const steps = [...after.nodes.values(), ...before.nodes.values()].filter(({ kind }) => isStep(kind));
  return [...new Set([...steps.map(({ id }) => id), null])].flatMap((step): StepChanges[] => {
    const changes = groups.get(step);
    if (!changes) return [];
    const node = step === null ? undefined : (after.nodes.get(step) ?? before.nodes.get(step));
    if (!node) return [{ step, kind: 'flow', name: 'Flow', is: 'changed', changes }];
    const status = statuses.get(node.id);
    const is = status === 'added' || status === 'removed' ? status : 'changed';
    return [{ step, kind: node.kind, name: nameOf(node.object, node.kind), is, changes }];
  });
}

const itemNames: Record<string, string> = {
  option: 'option',
  wheelOption: 'option',
  decisionCase: 'case',
  conditionalCase: 'case',
  clip: 'animation',
  motion: 'motion',
};

/** Says single changes. */
class Teller {
  /** The layer that an option or a case shows, with the item; both come and go together. */
  readonly #faces: Map<NodeId, NodeId>;
  readonly #moved = new Set<NodeId>();

  constructor(
    readonly before: Side,
    readonly after: Side,
    readonly statuses: ReadonlyMap<NodeId, NodeStatus>,
  ) {
    this.#faces = new Map(
      [...before.nodes.values(), ...after.nodes.values()].flatMap(({ id, object }) =>
        typeof object.rootLayerId === 'string' ? [[object.rootLayerId, id] as const] : [],
      ),
    );
  }

  added(node: Placed): Change | undefined {
    if (this.#isInside(node, 'added') || this.#goesWithItem(node)) return undefined;
    return this.#change('added', node, this.after, `added${this.#where(node, ' at', '')}`);
  }

  removed(node: Placed): Change | undefined {
    if (this.#isInside(node, 'removed') || this.#goesWithItem(node)) return undefined;
    return this.#change('removed', node, this.before, 'removed');
  }

  reordered(node: Placed): Change | undefined {
    if (this.#goesWithItem(node)) return undefined;
    return this.#change('moved', node, this.after, `moved${this.#where(node, ' to', '')}`);
  }

  /** What went elsewhere, those that went together as one; told at both ends when it went to another step. */
  moved(node: Placed): [NodeId | null, Change][] {
    if (this.#moved.has(node.id)) return [];
    const was = this.before.nodes.get(node.id)!;
    const together = [...this.after.nodes.values()].filter(
      ({ id, parent, slot }) =>
        this.statuses.get(id) === 'moved' &&
        parent?.id === node.parent?.id &&
        slot === node.slot &&
        this.before.nodes.get(id)!.parent?.id === was.parent?.id,
    );
    const nodes = together.map(({ id }) => id);
    for (const id of nodes) this.#moved.add(id);
    const into = quoted(this.after, node.parent!.id);
    const stays = was.step === node.step;
    const words = `moved into ${into}${nodes.length === 1 && stays ? this.#where(node, ', at', ',') : ''}`;
    const from = !stays && was.step !== null ? ` from ${quoted(this.before, was.step)}` : '';
    const subject = names(together.map((one) => this.#name(one)));
    const change: Change = { kind: 'moved', nodes, layer: node.layer, subject, words: words + from };
    if (stays) return [[node.step, change]];
    const to = node.step === null ? 'elsewhere' : `to ${quoted(this.after, node.step)}`;
    return [
      [node.step, change],
      [was.step, { ...change, layer: was.layer, words: `moved ${to}` }],
    ];
  }

  changed(node: Placed): Change[] {
    const was = this.before.nodes.get(node.id)!;
    if (node.kind === 'position') return [];
    const found = differencesOf([this.before, this.after], node.id).filter(
      ({ path }) => node.kind !== 'flow' || path[0] !== 'builderMeta',
    );
    return found.map(({ path, words }) => {
      if (path.join() === 'kind') {
        const [a, b] = [was, node].map(({ kind }) => kindName(kind).toLowerCase());
        return { ...this.#change('changed', node, this.after, `is a ${b}, it was a ${a}`), path };
      }
      const change = { ...this.#change('changed', node, this.after, words), path };
      // A layer without a name is called by its text: that is what changed.
      const byText = /^(text|label|placeholder)$/.test(path[0]!) && isLayer(node.kind) && !node.object.name;
      if (!byText) return change;
      const told = node.kind === 'text' ? change.words.replace(/^text /, '') : change.words; // its kind says it already
      return { ...change, subject: kindName(node.kind), words: told };
    });
  }

  /** Where steps stand in the graph, which only their authors see. */
  arranged(): Change | undefined {
    const places = [...this.statuses.keys()].filter((id) => {
      const [was, is] = [this.before.nodes.get(id), this.after.nodes.get(id)];
      if ((is ?? was)!.kind !== 'position') return false;
      return this.statuses.get(id) !== 'kept' || differencesOf([this.before, this.after], id).length > 0;
    });
    const kept = differencesOf([this.before, this.after], 'flow').filter(({ path }) => path[0] === 'builderMeta');
    const own = kept.length > 0;
    if (places.length === 0 && !own) return undefined;
    const nodes = own ? ['flow', ...places] : places;
    return {
      kind: 'changed',
      nodes,
      path: ['builderMeta'],
      layer: null,
      subject: '',
      words:
        places.length === 0 && kept.every(({ path }) => path[1] === 'notes')
          ? 'Notes for translators changed'
          : 'Steps arranged in the graph',
    };
  }

  #change(kind: Change['kind'], node: Placed, side: Side, words: string): Change {
    const item = isItem(node.kind) ? `${itemWords(side, node)} ` : '';
    const owner = isItem(node.kind) ? side.nodes.get(node.parent!.id)! : node;
    const subject = isStep(owner.kind) || owner.kind === 'flow' ? '' : this.#name(owner);
    const face = node.object.rootLayerId;
    const nodes =
      typeof face === 'string' && this.statuses.get(face) === this.statuses.get(node.id) && kind !== 'changed';
    const whole =
      item !== ''
        ? item + low(words)
        : isStep(node.kind) && kind !== 'changed'
          ? `${kindName(node.kind)} ${words}`
          : words;
    return {
      kind,
      nodes: nodes ? [node.id, face as string] : [node.id],
      layer: nodes ? (face as string) : node.layer,
      subject,
      words: subject === '' ? capital(whole) : low(whole),
    };
  }

  #name(node: Placed): string {
    return isItem(node.kind) ? itemWords(this.after, node) : clip(nameOf(node.object, node.kind, node.slot), 60);
  }

  #isInside(node: Placed, status: NodeStatus): boolean {
    return node.parent !== null && this.statuses.get(node.parent.id) === status;
  }

  #goesWithItem(node: Placed): boolean {
    const item = this.#faces.get(node.id);
    return !!item?.startsWith(`${node.parent?.id}/`) && this.statuses.get(item) === this.statuses.get(node.id);
  }

  /** Says where a layer stands now, behind the sibling before it. */
  #where(node: Placed, top: string, below: string): string {
    if (!isLayer(node.kind) && node.kind !== 'screen') return '';
    if (node.kind === 'screen' && this.statuses.get(node.id) === 'added') return '';
    const sibling = [...this.after.nodes.values()].find(
      ({ parent, slot, index }) => parent?.id === node.parent?.id && slot === node.slot && index === node.index - 1,
    );
    if (sibling) return `${below} below ${quoted(this.after, sibling.id)}`;
    if (node.kind === 'screen') return `${top} the top of the list`;
    return below === ',' ? `${top} the top` : `${top} the top of ${quoted(this.after, node.parent!.id)}`;
  }
}

function itemWords(side: Side, node: Placed): string {
  const kind = itemNames[node.kind] ?? 'item';
  const name = itemName(side, node);
  return name === '' ? kind : `${kind} “${clip(name, 60)}”`;
}

function itemName(side: Side, { kind, object, parent }: Placed): string {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  switch (kind) {
    case 'option':
      return optionWords(parent!, text(object.optionId)) || wordsOf(text(object.optionId));
    case 'wheelOption':
      return text(find(object, ['label', 'default'])) || wordsOf(text(object.optionId));
    case 'clip': {
      const target = side.nodes.get(text(object.targetLayerId));
      return target ? nameOf(target.object, target.kind, target.slot) : '';
    }
    case 'motion':
      return wordsOf(text(object.preset));
    default:
      return text(object.name);
  }
}

function names(list: readonly string[]): string {
  const [first = '', second, third, ...rest] = list;
  if (second === undefined) return first;
  if (third === undefined) return `${first} and ${second}`;
  return rest.length === 0 ? `${first}, ${second} and ${third}` : `${first}, ${second} and ${rest.length + 1} more`;
}

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);
const low = (words: string) => words.charAt(0).toLowerCase() + words.slice(1);

/** Reports whether a change tells of a value of a node. */
export const covers = ({ nodes, path, kind }: Change, node: NodeId, at: readonly string[]): boolean =>
  nodes.includes(node) && (path === undefined ? kind !== 'moved' : startsWith(at, path));

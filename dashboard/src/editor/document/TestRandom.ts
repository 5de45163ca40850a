import { readFileSync } from 'node:fs';
import { type Document, eachNode, type Flow, type Found, nodeOf, open, slotsOf } from './document';
import type { Json, JsonObject, NodeId, Operation, Step } from './operation';

const file = new URL('../../../../manifest/edit/testdata/vectors.json', import.meta.url);

/** A draft with one of everything that operations treat differently (manifest/edit/laws_test.go). */
export const { small } = (JSON.parse(readFileSync(file, 'utf8')) as { bases: { small: Flow } }).bases;

/** Makes the same steps, sensible and not, for the same seed: manifest/edit/random_test.go in TypeScript. */
export class Random {
  readonly base = open(small);
  #state: number;
  #made = 0;

  constructor(private readonly seed: number) {
    this.#state = seed * 2654435761 + 1;
  }

  /** Returns an integer from 0 to n − 1 (mulberry32). */
  below(n: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * n);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  id(prefix: string): NodeId {
    return `${prefix}_r${this.seed}_${++this.#made}`;
  }

  nodes(document: Document): Found[] {
    const out: Found[] = [];
    eachNode(nodeOf(document, 'flow')!, (node) => out.push(node));
    return out;
  }

  anyNode(document: Document): NodeId {
    return this.below(12) === 0 ? 'lyr_missing' : this.pick(this.nodes(document)).id;
  }

  step(document: Document): Step {
    return { name: 'random', operations: Array.from({ length: 1 + this.below(3) }, () => this.operation(document)) };
  }

  operation(document: Document): Operation {
    const act = this.below(10);
    if (act < 3) return { op: 'set', node: this.anyNode(document), path: this.#path(), value: this.#value() };
    if (act < 4) return { op: 'unset', node: this.anyNode(document), path: this.#path() };
    if (act < 6) {
      const { parent, slot, holds } = this.#slot(document);
      return { op: 'insert', parent, slot, ...this.#anchors(document), subtree: this.#subtree(holds) };
    }
    if (act < 8) {
      const node = nodeOf(document, this.anyNode(document));
      const stays = node?.parent && this.below(2) === 0 ? { parent: node.parent.id, slot: node.slot } : undefined;
      const { parent, slot } = stays ?? this.#slot(document);
      return { op: 'move', node: node?.id ?? 'lyr_missing', parent, slot, ...this.#anchors(document) };
    }
    if (act < 9) return { op: 'remove', node: this.anyNode(document) };
    const names = ['goal', 'age', 'plan', 'objective', 'daily', 'often', 'Not A Key', ''];
    const key = this.pick(['field', 'option', 'attribute'] as const);
    const owner = key === 'option' ? { owner: this.pick(['lyr_goal', this.anyNode(document)]) } : {};
    return { op: 'rename', key, ...owner, from: this.pick([...names, 'country']), to: this.pick(names) };
  }

  #anchors(document: Document) {
    const anchor = () => (this.below(3) === 0 ? null : this.anyNode(document));
    return { after: anchor(), before: anchor() };
  }

  #slot(document: Document): { parent: NodeId; slot: string; holds: string } {
    for (;;) {
      const node = this.pick(this.nodes(document));
      const slots = slotsOf(node.kind);
      if (slots.length === 0) continue;
      const [slot, { holds }] = this.pick(slots);
      return { parent: node.id, slot, holds };
    }
  }

  #path(): string[] {
    const first = [
      'style',
      'name',
      'text',
      'note',
      'next',
      'fieldKey',
      'defaultOptionId',
      'expression',
      'id',
      'children',
    ];
    const path = [this.pick(first)];
    while (this.below(3) === 0)
      path.push(this.pick(['padding', 't', 'default', 'translations', 'de', 'nodes', '__proto__']));
    return path;
  }

  #value(): Json {
    const condition = {
      kind: 'predicate',
      variable: { kind: 'field', fieldKey: this.pick(['goal', 'age']) },
      predicate: { type: 'choice', pred: { op: 'one_of', optionIds: ['daily'] } },
    };
    const text = { default: 'Hello {{ goal.id | default: you }}', translations: { de: '{{goal}}' } };
    const values = [
      null,
      true,
      0,
      -1.5,
      1e21,
      'scr_1',
      'é\u{1F600} \u2028',
      [],
      [1, { b: 2, a: null }],
      {},
      text,
      condition,
    ];
    return this.pick<Json>([...values, { t: 4, l: 2 }, 'nul\0', 'daily', 'goal']);
  }

  #layer(depth: number): JsonObject {
    const kind = this.pick(['stack', 'text', 'single_choice', 'button', 'carousel', 'unknown_kind']);
    const layer = { id: this.id('lyr'), kind };
    if (kind === 'text') return { ...layer, text: { default: 'New {{goal}}' } };
    if (kind === 'carousel') return { ...layer, slides: [] };
    if (kind === 'single_choice')
      return {
        ...layer,
        fieldKey: 'plan',
        children: [],
        optionBindings: [{ optionId: 'often', rootLayerId: 'lyr_x' }],
      };
    const children = depth === 0 ? [] : Array.from({ length: this.below(3) }, () => this.#layer(depth - 1));
    return { ...layer, children };
  }

  #subtree(holds: string): JsonObject {
    switch (holds) {
      case 'layer':
        return this.#layer(2);
      case 'screen':
        return { id: this.id('scr'), name: 'S', next: { default: null }, regions: { body: this.#layer(1) } };
      case 'decision':
        return { id: this.id('dec'), cases: [{ id: 'c1', next: null }], elseNext: null };
      case 'option':
      case 'wheelOption':
        return { optionId: this.id('opt'), rootLayerId: 'lyr_1' };
      default:
        return { id: this.id('it'), x: 1 };
    }
  }
}

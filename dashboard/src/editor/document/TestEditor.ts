import { find } from './canonical';
import { move } from './commands/move';
import { childrenOf, type Flow, type Found, nodeOf } from './document';
import { type Command, Editor } from './editor';
import type { Json, NodeId, Step } from './operation';
import type { Undone } from './undo';
import { label, labelOf } from './words';

type Box = { x: number; y: number; width: number; height: number };

/**
 * Drives an editor as a person does, without a browser: layers are found by what they are called, and drawn as boxes, one
 * below the other and 20 high, 10 further in for each level.
 *
 *     const page = TestEditor.open(flow, 'Goal');
 *     page.drag('Price').below('Title');
 *     expect(page.outline()).toEqual(['Title', 'Price']);
 */
export class TestEditor {
  #gestures = 0;
  #typing: { node: NodeId; text: string; gesture: string } | undefined;
  /** What the last command or step said: true, or why not. */
  said: true | string = true;

  constructor(readonly editor: Editor) {}

  /** Opens a flow at a screen, by default the first; ids are new_1, new_2 and so on. */
  static open(flow: Flow, screen?: string): TestEditor {
    let made = 0;
    const page = new TestEditor(Editor.open(structuredClone(flow), (prefix) => `${prefix}_new_${++made}`));
    page.open(screen);
    return page;
  }

  open(screen?: string) {
    const id = screen === undefined ? this.#screens()[0]?.id : this.#find(screen, this.#screens());
    this.editor.select({ screen: id ?? null });
    return this;
  }

  /** Selects a layer; with ⇧ besides what is selected. */
  click(name: string, { shift = false } = {}) {
    this.editor.endGesture();
    this.#typing = undefined;
    const id = this.find(name);
    const { nodes } = this.editor.selection;
    this.editor.select({ nodes: shift ? [...nodes, id] : [id] });
    return this;
  }

  /** Goes into a layer: to its first layer, or to typing when it has a text. */
  doubleClick(name: string) {
    this.click(name);
    const node = nodeOf(this.editor.document, this.find(name))!;
    const text = find(node.object, ['text', 'default']);
    if (typeof text === 'string') this.#typing = { node: node.id, text, gesture: `typing ${++this.#gestures}` };
    else {
      const inner = childrenOf(node).find((child) => child.slot === 'children');
      if (inner) this.editor.select({ nodes: [inner.id] });
    }
    return this;
  }

  /** Selects all layers whose boxes a rectangle from one layer to another touches. */
  marquee(from: string, to: string) {
    const boxes = this.boxes();
    const a = boxes.get(this.find(from))!;
    const b = boxes.get(this.find(to))!;
    const [top, bottom] = [Math.min(a.y, b.y), Math.max(a.y + a.height, b.y + b.height)];
    const left = Math.min(a.x, b.x);
    const touched = [...boxes].filter(([, box]) => box.x >= left && box.y < bottom && box.y + box.height > top);
    this.editor.select({ nodes: touched.map(([id]) => id) });
    return this;
  }

  /** Drags a layer, or all that are selected when it is one of them; each tick of the pointer is a step. */
  drag(name: string) {
    const id = this.find(name);
    if (!this.editor.selection.nodes.includes(id)) this.click(name);
    const { nodes } = this.editor.selection;
    const gesture = `drag ${++this.#gestures}`;
    return {
      below: (other: string) => {
        const anchor = nodeOf(this.editor.document, this.find(other))!;
        return this.run(move, {
          nodes,
          to: { parent: anchor.parent!.id, slot: anchor.slot, after: anchor.id },
          gesture,
        });
      },
      into: (other: string) => {
        return this.run(move, { nodes, to: { parent: this.find(other), slot: 'children' }, gesture });
      },
      /** Sets a number of the layer, a step each tick, as a handle does. */
      through: (path: readonly string[], values: readonly number[]) => {
        for (const value of values) this.step({ op: 'set', node: id, path, value }, gesture);
        return this;
      },
    };
  }

  /** Types into the text that was gone into by doubleClick, a step each character. */
  type(text: string) {
    const typing = this.#typing;
    if (!typing) throw new Error('double-click a text first');
    for (const character of text) {
      typing.text += character;
      this.step({ op: 'set', node: typing.node, path: ['text', 'default'], value: typing.text }, typing.gesture);
    }
    return this;
  }

  set(name: string, path: readonly string[], value: Json) {
    return this.step({ op: 'set', node: this.find(name), path, value });
  }

  step(operation: Step['operations'][number], gesture?: string) {
    this.said = this.editor.runStep({ name: '', operations: [operation] }, { gesture });
    return this;
  }

  run<Input>(command: Command<Input>, input: Input) {
    this.said = this.editor.run(command, input);
    return this;
  }

  /** Presses the keys of one of some commands that take no input. */
  press(keys: string, commands: readonly Command<undefined>[]) {
    const command = commands.find((one) => one.keys === keys);
    if (!command) throw new Error(`no command has the keys ${keys}`);
    return this.run(command, undefined);
  }

  undo(options?: { anyway?: boolean }): Undone {
    return this.editor.undo(options);
  }

  redo(options?: { anyway?: boolean }): Undone {
    return this.editor.redo(options);
  }

  /** Lists the layers of the screen in the order of the tree, by name, two spaces further in for each level. */
  outline(): string[] {
    return this.#layers().map(({ node, depth }) => '  '.repeat(depth) + nameOf(node));
  }

  /** Lists what the page would say to the person: what was refused, with by whom. */
  problems(): string[] {
    return this.editor.refused.map(({ step, why }) => `${step.name}: ${why}`);
  }

  selection(): string[] {
    return this.editor.selection.nodes.map((id) => bare(label(this.editor.document, id)));
  }

  /** Lays out the layers of the screen. */
  boxes(): Map<NodeId, Box> {
    const out = new Map<NodeId, Box>();
    let y = 0;
    const visit = (node: Found, depth: number): number => {
      const top = y;
      y += 20;
      for (const child of layersIn(node)) visit(child, depth + 1);
      out.set(node.id, { x: depth * 10, y: top, width: 300 - depth * 20, height: y - top });
      return y;
    };
    const screen = this.#screen();
    for (const region of screen ? layersIn(screen) : []) visit(region, 0);
    return out;
  }

  /** Finds a layer of the screen by name. */
  find(name: string): NodeId {
    return this.#find(
      name,
      this.#layers().map(({ node }) => node),
    );
  }

  #find(name: string, nodes: readonly Found[]): NodeId {
    const found = nodes.find((node) => node.id === name || nameOf(node) === name);
    if (!found) throw new Error(`there is no “${name}” among ${nodes.map(nameOf).join(', ')}`);
    return found.id;
  }

  #screens(): Found[] {
    return childrenOf(nodeOf(this.editor.document, 'flow')!).filter(({ kind }) => kind === 'screen');
  }

  #screen(): Found | undefined {
    const { screen } = this.editor.selection;
    return screen === null ? undefined : nodeOf(this.editor.document, screen);
  }

  #layers(): { node: Found; depth: number }[] {
    const out: { node: Found; depth: number }[] = [];
    const visit = (node: Found, depth: number) => {
      out.push({ node, depth });
      for (const child of layersIn(node)) visit(child, depth + 1);
    };
    const screen = this.#screen();
    for (const region of screen ? layersIn(screen) : []) visit(region, 0);
    return out;
  }
}

function layersIn(node: Found): Found[] {
  return childrenOf(node).filter(({ object, slot }) => 'kind' in object && slot !== 'restingMotions');
}

function nameOf(node: Found): string {
  return bare(labelOf(node));
}

function bare(name: string): string {
  return name.replaceAll(/[“”]/g, '');
}

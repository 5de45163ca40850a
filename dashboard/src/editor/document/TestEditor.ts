import type { Box, Point } from '../canvas/board';
import { Gestures } from '../canvas/gestures/Gestures';
import type { Stage } from '../canvas/gestures/gesture';
import { layersAt } from '../canvas/hit';
import { LayerView } from '../layerView';
import { find } from './canonical';
import { layersIn } from './commands/faces';
import { childrenOf, type Flow, type Found, nodeOf } from './document';
import { type Command, Editor } from './editor';
import type { Json, NodeId, Step } from './operation';
import type { Undone } from './undo';
import { label, labelOf } from './words';

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
  readonly view = new LayerView();

  constructor(readonly editor: Editor) {
    editor.lockOf = (id) => this.view.lockOf(editor.document, id);
  }

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

  /** Draws a rectangle from the left edge of one layer to the right one of another; with ⇧ besides what is selected. */
  marquee(from: string, to: string, { shift = false } = {}) {
    const [a, b] = [this.#box(from), this.#box(to)];
    this.#pull({ x: a.x - 1, y: a.y + 10 }, [{ x: b.x + b.width + 1, y: b.y + 10 }], { shift });
    return this;
  }

  /** Drags a layer, or all that are selected when it is one of them, by the gestures of the canvas. */
  drag(name: string) {
    const id = this.find(name);
    if (!this.editor.selection.nodes.includes(id)) this.click(name);
    const gesture = `drag ${++this.#gestures}`;
    const to = (other: string, fromBottom: number) => {
      const [from, box] = [this.#box(name), this.#box(other)];
      const target = { x: box.x + box.width / 2, y: box.y + box.height - fromBottom };
      this.#pull({ x: from.x + from.width / 2, y: from.y + 10 }, [{ x: 0, y: -50 }, target]);
      return this;
    };
    return {
      /** Lets go below the middle of a layer, or at the lower edge of one that has others in it. */
      below: (other: string) => to(other, layersIn(nodeOf(this.editor.document, this.find(other))!).length > 0 ? 1 : 7),
      into: (other: string) => to(other, 8),
      /** Sets a number of the layer, a step each tick, as a handle does. */
      through: (path: readonly string[], values: readonly number[]) => {
        for (const value of values) this.step({ op: 'set', node: id, path, value }, gesture);
        return this;
      },
    };
  }

  #pull(from: Point, way: readonly Point[], { shift = false } = {}) {
    const { editor } = this;
    const boxes = () => [...this.boxes()].map(([id, box]) => ({ ...box, id }));
    const locked = (id: NodeId) => this.view.holds('locked', editor.document, id);
    const { parents } = editor.document;
    const screen = editor.selection.screen ?? undefined;
    const stage: Stage = {
      editor,
      canEdit: true,
      zoom: 1,
      breakpoint: undefined,
      handled: () => undefined,
      locked,
      under: (point) => {
        const free = boxes().filter(({ id }) => !locked(id));
        return { screen, path: layersAt(free, point, (id) => parents.get(id)?.parent) };
      },
      boxes,
      pan: () => {},
      say: (outcome) => {
        this.said = outcome;
      },
    };
    const pointer = (point: Point) => ({ point, shift, mod: false, alt: false, pans: false });
    const gestures = new Gestures(() => stage);
    gestures.down(pointer(from));
    for (const point of way) gestures.move(pointer(point));
    gestures.up(pointer(way.at(-1)!));
  }

  #box(name: string): Box {
    return this.boxes().get(this.find(name))!;
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
      const box = { x: depth * 10, y, width: 300 - depth * 20, height: 20 };
      out.set(node.id, box); // before those inside it, as on the canvas
      y += 20;
      for (const child of layersIn(node)) visit(child, depth + 1);
      box.height = y - box.y;
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

function nameOf(node: Found): string {
  return bare(labelOf(node));
}

function bare(name: string): string {
  return name.replaceAll(/[“”]/g, '');
}

import { apply } from './apply';
import { changes } from './changes';
import { type Document, eachNode, type Flow, nodeOf, open } from './document';
import { Entries } from './entries';
import { followRenames } from './follow';
import { isRefusal, type JsonObject, type NodeId, type Operation, type Refusal, type Step } from './operation';
import { parts } from './pending';
import type { Rename } from './reference';
import { nothing, type Selection, sameSelection, valid } from './selection';
import { type Edit, type Foreign, findRemoval, planUndo, type Removal, rewrites, type Undone } from './undo';
import { describe, refusalInWords } from './words';

/** Makes an id that nobody else makes: newId('lyr') is 'lyr_3k9x0qk2m1zt'. */
export type NewId = (prefix: string) => NodeId;

/** What a person can do to the document. It is built from operations and knows no page. */
export type Command<Input> = {
  id: string;
  /** The keys that run it, as app/keys writes them. */
  keys?: string;
  /** Tells whether it can run now: true, or why not, in words to show. */
  when(editor: Editor, input: Input): true | string;
  /** Called only when `when` says true. Steps of equal gestures join to one undo. */
  build(editor: Editor, input: Input, newId: NewId): { step: Step; select?: Partial<Selection>; gesture?: string };
};

/** Where the person's edits are. 'stopped': they can't be sent (the page says why) and stay in this browser. */
export type SaveState = 'saved' | 'saving' | 'offline' | 'stopped';

/** A step of this person that others' edits made impossible. Its words and values are kept here. */
export type Refused = Refusal & {
  step: Step;
  /** Who removed its node, if somebody did. */
  by?: string;
  why: string;
  /** What brings back what was removed; see Editor.bringBack. */
  back?: Removal;
};

/**
 * The document that a person edits, with their selection and undo.
 *
 *     const editor = Editor.open(draft.document);              // the JSON of query draft(flowId)
 *     editor.select({ nodes: ['lyr_title'] });
 *     editor.run(remove, undefined);                           // true, or why not, in words to show
 *     editor.runStep({ name: 'Change padding', operations: [{ op: 'set', … }] }, { gesture: 'drag 17' });
 *     editor.undo();
 *
 * Nothing in it is mutated: `document`, the objects of nodes and `selection` are new ones when they change and keep their
 * identity when they don't, so that they are snapshots for useSyncExternalStore as they are:
 *
 *     const layer = useSyncExternalStore((fn) => editor.subscribe(id, fn), () => editor.object(id));
 *     const selection = useSyncExternalStore((fn) => editor.subscribe('*', fn), () => editor.selection);
 *
 * A listener of a node is called when its object is another one: when a property of it or something inside it changed,
 * and when it came or went (`object` is then undefined). A move does not change the node that moves, but the two parents
 * and all around them. A listener of '*' is called after any change of document, selection, undo or save state.
 *
 * A drag or a burst of typing is one undo when all of its steps have the same `gesture`, a string that no other gesture
 * has; its last step wins. `step.name` is what undo shows; left empty, it is made from the operations.
 *
 * commands/ has a file each of what people do; session.ts opens a draft of the server with all this and sends the edits;
 * TestEditor.ts drives it in tests.
 */
export class Editor {
  #document: Document;
  #objects = new Map<NodeId, JsonObject>();
  #selection = nothing;
  #saveState: SaveState = 'saved';
  #stoppedBy: string | undefined;
  #isKept = true;
  readonly #done = new Entries();
  readonly #undone = new Entries();
  #others: Foreign[] = [];
  #refused: readonly Refused[] = [];
  #listeners = new Map<string, Set<() => void>>();
  readonly newId: NewId;
  /** Is told of each edit; `rewritten` when an unsent one has a new step. What sends them sets it (sync.ts). */
  onEdit: (edit: Edit, rewritten: boolean) => void = () => {};
  /** Finds what of a layer and those around it is locked for this person, which the document does not know: the page sets
   * it. Nothing is put into what is locked. */
  lockOf: (id: NodeId) => NodeId | undefined = () => undefined;

  private constructor(flow: Flow, newId: NewId) {
    this.#document = open(flow);
    this.newId = newId;
    eachNode(nodeOf(this.#document, 'flow')!, (node) => this.#objects.set(node.id, node.object));
  }

  /** Opens a draft as the server gives it; throws when it is none. */
  static open(draft: string | Flow, newId: NewId = randomId): Editor {
    return new Editor(typeof draft === 'string' ? (JSON.parse(draft) as Flow) : draft, newId);
  }

  get document(): Document {
    return this.#document;
  }

  /** Returns the JSON of a node, children included; undefined when it is not there. */
  object(id: NodeId): JsonObject | undefined {
    return this.#objects.get(id);
  }

  get selection(): Selection {
    return this.#selection;
  }

  /** Selects nodes and the screen that they stand on; with no nodes the screen alone, or nothing. Nodes inside others of
   * them are left out. */
  select(selection: Partial<Selection>) {
    this.#show(this.#document, { ...nothing, ...selection });
  }

  get saveState(): SaveState {
    return this.#saveState;
  }

  /** The code by which the server takes no edits: unauthenticated, forbidden, conflict or not_found. */
  get stoppedBy(): string | undefined {
    return this.#stoppedBy;
  }

  /** Whether the browser keeps what the server does not have. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** Says where the edits are, and what stops them; for what sends them. */
  report(state: SaveState, stoppedBy?: string) {
    if (state === this.#saveState && stoppedBy === this.#stoppedBy) return;
    this.#saveState = state;
    this.#stoppedBy = stoppedBy;
    this.#tell(['*']);
  }

  /** Says whether the browser keeps the edits; for what sends them. */
  reportKept(isKept: boolean) {
    if (isKept === this.#isKept) return;
    this.#isKept = isKept;
    this.#tell(['*']);
  }

  /** Calls a listener after each change of a node, or with '*' after each change of anything. Returns what ends it. */
  subscribe(what: NodeId | '*', listener: () => void): () => void {
    const listeners = this.#listeners.get(what) ?? new Set();
    this.#listeners.set(what, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(what) === listeners) this.#listeners.delete(what);
    };
  }

  /** Runs a command. Returns true, or why it can't run, in words. */
  run<Input>(command: Command<Input>, input: Input): true | string {
    const may = command.when(this, input);
    if (may !== true) return may;
    const { step, ...rest } = command.build(this, input, this.newId);
    return this.runStep(step, rest);
  }

  /** Applies a step whole. Returns true, or why it can't be, in words; then nothing has changed. */
  runStep(step: Step, { select, gesture }: { select?: Partial<Selection>; gesture?: string } = {}): true | string {
    const last = this.#undone.length === 0 ? this.#done.last : undefined;
    const joined = gesture !== undefined && last?.gesture === gesture ? last : undefined;
    const name = joined?.name ?? cut(step.name || describe(this.#document, step.operations));
    const done = apply(this.#document, { ...step, name });
    if (isRefusal(done)) return refusalInWords(this.#document, done);
    const before = this.#selection;
    const after = select ? { ...nothing, ...select } : before;
    // A step that changes nothing is no undo.
    if (done.inverse.length > 0) {
      const entry = joined ?? { name, gesture, edits: [], before, after };
      if (!joined) this.#done.push(entry);
      this.#undone.clear();
      entry.after = after;
      const edit = entry.edits.at(-1);
      if (edit && !edit.sent && rewrites(done.step, edit.step)) {
        edit.step = done.step;
        this.onEdit(edit, true);
      } else entry.edits.push(this.#edit(done));
    }
    this.#show(done.document, after);
    return true;
  }

  /** Applies operations of any number as one step of undo: whole, or not at all. They go to the server in parts. Returns
   * true, or why they can't be, in words. */
  runAll(name: string, operations: readonly Operation[]): true | string {
    const whole = apply(this.#document, { name, operations });
    if (isRefusal(whole)) return refusalInWords(this.#document, whole);
    const gesture = this.newId('all');
    this.endGesture();
    for (const part of parts(operations)) this.runStep({ name, operations: part }, { gesture });
    this.endGesture();
    return true;
  }

  /** Ends a gesture: what comes next is an undo of its own, whatever its gesture. */
  endGesture() {
    const { last } = this.#done;
    if (last) last.gesture = undefined;
  }

  /** Takes a gesture back as if it had not been: neither undo nor redo has it. */
  giveBack(gesture: string) {
    if (this.#done.last?.gesture !== gesture) return;
    this.undo({ anyway: true });
    this.#undone.clear();
  }

  /** How many steps undo can take back. */
  get steps(): number {
    return this.#done.length;
  }

  /** Names what undo takes back; undefined when there is nothing. */
  get canUndo(): string | undefined {
    return this.#done.last?.name;
  }

  /** Names what redo does again; undefined when there is nothing. */
  get canRedo(): string | undefined {
    return this.#undone.last?.name;
  }

  /** Takes back this person's last step, with the selection before it. Others' work is never undone: see Undone. */
  undo({ anyway = false } = {}): Undone {
    return this.#goBack('Undo', this.#done, this.#undone, anyway);
  }

  /** Does again what undo took back. */
  redo({ anyway = false } = {}): Undone {
    return this.#goBack('Redo', this.#undone, this.#done, anyway);
  }

  #goBack(verb: 'Undo' | 'Redo', from: Entries, to: Entries, anyway: boolean): Undone {
    const entry = from.last;
    if (!entry) return { is: 'nothing' };
    const { name } = entry;
    const plan = planUndo(this.#document, entry.edits, this.#others, anyway);
    if ('question' in plan) return { is: 'asks', name, question: plan.question, act: plan.act };
    let now = this.#document;
    const done = parts(plan.operations).map((operations) => {
      const part = apply(now, { name: cut(`${verb}: ${name}`), operations });
      if (isRefusal(part)) throw new Error(`${verb} was refused: ${part.code} at ${part.node}`);
      now = part.document;
      return part;
    });
    from.pop();
    const edits = done.filter(({ inverse }) => inverse.length > 0).map((part) => this.#edit(part));
    if (edits.length > 0) to.push({ ...entry, gesture: undefined, edits });
    this.endGesture();
    this.#show(now, verb === 'Undo' ? entry.before : entry.after);
    return { is: 'done', name, kept: plan.kept };
  }

  /** Counts the steps of others that are known. */
  countOthers(): number {
    return this.#others.length;
  }

  /** Shows a document that has others' edits in it, with this person's edits applied again on top. Returns those of them
   * that could not be; the unsent are then told in `refused`, of the sent the server says so itself (sync.ts). */
  rebase(confirmed: Document, others: readonly Foreign[], mine: readonly Edit[]): Edit[] {
    this.#others.push(...others);
    const renames = others.flatMap((one) => one.operations.filter((operation) => operation.op === 'rename'));
    if (renames.length > 0) this.#follow(renames, mine);
    const failed: Edit[] = [];
    let now = confirmed;
    for (const edit of mine) {
      const done = apply(now, edit.step);
      if (isRefusal(done)) {
        failed.push(edit);
        if (!edit.sent) this.#refuse(edit, done);
        continue;
      }
      now = done.document;
      edit.inverse = done.inverse;
      edit.seen = this.#others.length;
    }
    this.#show(now, this.#selection);
    return failed;
  }

  /** Others' renames are renames of what this person has not sent and may take back. */
  #follow(renames: readonly Rename[], mine: readonly Edit[]) {
    for (const edit of mine) if (!edit.sent) edit.step = followRenames(this.#document, edit.step, renames);
    const keys = renames.map(({ from }) => from);
    for (const entries of [this.#done, this.#undone])
      entries.rewrite(
        keys,
        (operations) => followRenames(this.#document, { name: '', operations }, renames).operations,
      );
  }

  /** What of this person's edits could not be applied after those of others, the oldest first. */
  get refused(): readonly Refused[] {
    return this.#refused;
  }

  /** Takes note of an edit that the server refused; it is not undone any more. */
  refuse(edit: Edit, refusal: Refusal & { by?: string | null }) {
    this.#refuse(edit, refusal);
    this.#tell(['*']);
  }

  #refuse(edit: Edit, { by, ...refusal }: Refusal & { by?: string | null }) {
    const back = refusal.code === 'node_removed' ? findRemoval(refusal.node, this.#others) : undefined;
    const who = back?.by ?? by ?? undefined;
    const why = who ? `${back?.name ?? 'The layer'} was removed by ${who}` : refusalInWords(this.#document, refusal);
    this.#refused = [...this.#refused, { ...refusal, step: edit.step, by: who, why, back }];
    this.#done.leaveOut(edit);
    this.#undone.leaveOut(edit);
  }

  /** Brings back what another removed, then applies the steps that were refused for it; all of it is one undo. Returns
   * true, or why not. */
  bringBack(...refused: [Refused, ...Refused[]]): true | string {
    const [{ back, node, why }] = refused;
    if (!back) return why;
    const missing = nodeOf(this.#document, node) ? [] : back.operations;
    const operations = [...missing, ...refused.flatMap(({ step }) => step.operations)];
    const done = this.runStep({ name: `Bring back ${back.name}`, operations });
    if (done === true) this.dismiss(...refused);
    return done;
  }

  /** Forgets that steps were refused. */
  dismiss(...refused: Refused[]) {
    this.#refused = this.#refused.filter((one) => !refused.includes(one));
    this.#tell(['*']);
  }

  #edit({ step, inverse }: Pick<Edit, 'step' | 'inverse'>): Edit {
    const edit = { step, inverse, sent: false, acknowledged: false, seen: this.#others.length };
    this.#saveState = this.#saveState === 'saved' ? 'saving' : this.#saveState;
    this.onEdit(edit, false);
    return edit;
  }

  #show(document: Document, selection: Selection) {
    const changed = changes(this.#document, document);
    const kept = valid(document, selection);
    this.#document = document;
    if (!sameSelection(this.#selection, kept)) this.#selection = kept;
    for (const [id, object] of changed) {
      if (object) this.#objects.set(id, object);
      else this.#objects.delete(id);
    }
    this.#tell([...changed.keys(), '*']);
  }

  #tell(what: Iterable<string>) {
    for (const one of what) for (const listener of [...(this.#listeners.get(one) ?? [])]) listener();
  }
}

/** The server keeps names of 200 characters. */
const cut = (name: string) => [...name].slice(0, 200).join('');

function randomId(prefix: string): NodeId {
  const digits = crypto.getRandomValues(new Uint8Array(16));
  return `${prefix}_${Array.from(digits, (one) => (one % 36).toString(36)).join('')}`;
}

import { send } from '../../graphql/send';
import type { Editor } from '../document/editor';
import { colorOf, type Person, type PersonPointer } from '../others';
import { announceDocument } from './queries';

/** How often a person says where they are: at most, and at least, in milliseconds. The server takes twenty a second and
 * forgets a person after 30 s. */
const atMost = 100;
const atLeast = 10_000;
/** After how many milliseconds a pointer that does not move is shown no more. */
const rest = 5_000;
/** How many people are shown, and how many of their layers. */
const mostPeople = 20;
const mostLayers = 10;

export type Said = {
  clientId: string;
  name: string;
  screen: string | null;
  layers: readonly string[];
  pointer: PersonPointer | null;
};
export type Announcement = {
  screen: string | null;
  layers: string[];
  pointer: PersonPointer | null;
  leaves: boolean;
  /** Rises: the server leaves out what was overtaken on the way. */
  sequence: number;
};

/** Says where a person is in a draft, and keeps where others are. */
export class Presence {
  readonly client = crypto.randomUUID() as string;
  others: readonly Person[] = [];
  #sequence = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = Number.NEGATIVE_INFINITY;
  #unsubscribe: (() => void) | undefined;
  #selection: unknown;
  #pointer: PersonPointer | null = null;
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly editor: Editor,
    private readonly announce: (client: string, announcement: Announcement) => Promise<unknown>,
    private readonly onChange: (others: readonly Person[]) => void,
  ) {}

  /** Begins to say where the person is. */
  begin() {
    this.#unsubscribe ??= this.editor.subscribe('*', () => {
      if (this.editor.selection !== this.#selection) this.#sayIn(atMost);
    });
    this.#sayIn(atMost);
  }

  /** Says that the person has left, until they begin again. */
  end() {
    if (!this.#unsubscribe) return;
    this.#unsubscribe();
    this.#unsubscribe = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    clearTimeout(this.#resting);
    this.#pointer = null;
    this.#send(true);
    this.#tell([]);
  }

  /** Takes in where the person's pointer is on the canvas; null for on no screen. */
  point(pointer: PersonPointer | null) {
    clearTimeout(this.#resting);
    this.#resting = pointer ? setTimeout(() => this.point(null), rest) : undefined;
    const { screen, x, y } = this.#pointer ?? {};
    if (pointer?.screen === screen && pointer?.x === x && pointer?.y === y) return;
    this.#pointer = pointer;
    if (this.others.length > 0) this.#sayIn(atMost);
  }

  /** Takes in who is there. Whoever is new is answered: their server may not have heard of this person. */
  hear(people: readonly Said[]) {
    if (!this.#unsubscribe) return;
    const others = people.filter(({ clientId }) => clientId !== this.client).slice(0, mostPeople);
    const known = new Set(this.others.map(({ client }) => client));
    if (others.some(({ clientId }) => !known.has(clientId))) this.#sayIn(atMost);
    this.#tell(
      others.map(({ clientId: client, name, screen, layers, pointer }) => ({
        client,
        name,
        color: colorOf(client),
        screen,
        layers: layers.slice(0, mostLayers),
        pointer,
      })),
    );
  }

  #tell(others: readonly Person[]) {
    this.others = others;
    this.onChange(others);
  }

  #sayIn(wait: number) {
    clearTimeout(this.#timer);
    const due = wait === atMost ? Math.max(0, this.#last + atMost - Date.now()) : wait;
    this.#timer = setTimeout(() => {
      this.#send(false);
      this.#sayIn(atLeast);
    }, due);
  }

  #send(leaves: boolean) {
    this.#last = Date.now();
    const { selection } = this.editor;
    this.#selection = selection;
    const layers = selection.nodes.filter((id) => id.length <= 40).slice(0, mostLayers);
    // What is not heard is said again soon.
    const said = { screen: selection.screen, layers, pointer: this.#pointer, leaves, sequence: ++this.#sequence };
    this.announce(this.client, said).catch(() => {});
  }
}

/** The way to say something to those who follow the draft of a flow. */
export const announceIn = (flow: string) => (client: string, announcement: Announcement) =>
  send(announceDocument, { input: { flowId: flow, clientId: client, ...announcement } }, AbortSignal.timeout(10_000), {
    // Whoever leaves may close the page, which ends other requests.
    keepalive: announcement.leaves,
  });

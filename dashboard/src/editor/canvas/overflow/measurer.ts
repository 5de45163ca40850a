import type { JsonObject } from '../../document/operation';
import type { Misfit } from '../../misfits';
import type { Size } from '../board';
import { isSameBesideScreens } from '../frame/rested';
import type { CanvasPort, Shown } from '../port';
import { misfitOf } from './fits';
import { readWords } from './read';
import { knowScreen, speaks, textShown } from './texts';

export type Work = {
  flow: JsonObject;
  screens: readonly JsonObject[];
  locales: readonly string[];
  defaultLocale: string;
  look: Pick<Shown, 'mediaMap' | 'branding'>;
};

type Device = { id: string; size: Size };

/** What is found on one screen in one language. Lines are by text. */
type Found = { misfits: readonly Misfit[]; lines: ReadonlyMap<string, number> };

/** Waits until the page has nothing to do. */
export type Idle = () => Promise<void>;

/** Measures the texts of screens in each language, one screen at a time while the page has nothing to do. What was measured
 * of a screen is kept while the screen is the same. */
export class Measurer {
  #known = new WeakMap<JsonObject, Map<string, Found>>();
  #last: Work | undefined;
  #turn = 0;
  #isDrawn = false;

  constructor(
    private readonly port: CanvasPort,
    /** The first is what screens are drawn for, the others are looked at where a screen differs on them. */
    private readonly devices: readonly Device[],
    private readonly idle: Idle,
    private readonly fonts: () => Promise<unknown>,
  ) {}

  /** Forgets what was measured: it would be another now. */
  forget() {
    this.#known = new WeakMap();
  }

  /** Leaves what is under way. An edit asks for that, so what was drawn is taken away later. */
  stop() {
    const turn = ++this.#turn;
    void this.idle().then(() => turn === this.#turn && this.#clear());
  }

  /** Measures what is not known yet, then returns all; undefined when it was asked again meanwhile. */
  async measure(work: Work): Promise<Misfit[] | undefined> {
    const turn = ++this.#turn;
    if (this.#last && !isSameLook(this.#last, work)) this.forget();
    this.#last = work;
    const all: Misfit[] = [];
    for (const screen of work.screens) {
      const known = knowScreen(screen);
      if (known.texts.size === 0) continue;
      const [narrow, ...wide] = this.devices;
      for (const device of known.widens ? this.devices : [narrow!])
        for (const locale of work.locales) {
          if (!speaks(known, locale, work.defaultLocale)) continue;
          const found = await this.#find(work, screen, locale, device, turn);
          if (turn !== this.#turn) return undefined;
          // Said once, for the narrowest that it is seen on.
          const isNew = (one: Misfit) => !all.some(({ text, locale }) => text === one.text && locale === one.locale);
          all.push(...(wide.includes(device) ? found.misfits.filter(isNew) : found.misfits));
        }
    }
    this.#clear();
    return all;
  }

  #clear() {
    if (this.#isDrawn) this.port.still(undefined);
    this.#isDrawn = false;
  }

  async #find(work: Work, screen: JsonObject, locale: string, device: Device, turn: number): Promise<Found> {
    const measured = this.#known.get(screen) ?? new Map<string, Found>();
    this.#known.set(screen, measured);
    const name = `${device.id} ${locale}`;
    const before = measured.get(name);
    if (before) return before;
    const base = measured.get(`${device.id} ${work.defaultLocale}`);
    const misfits = new Map<string, Misfit>();
    const lines = new Map<string, number>();
    for (const branches of knowScreen(screen).branches) {
      await this.idle();
      if (turn !== this.#turn) break;
      const { flow, look } = work;
      const still = { object: screen, id: String(screen.id), branches };
      const draw = () => this.port.still({ flow, screen: still, size: device.size, locale, theme: 'light', ...look });
      this.#isDrawn = true;
      draw()?.getBoundingClientRect(); // fonts are asked for when words are laid out
      await this.fonts();
      // Drawing and reading are pieces of their own.
      await this.idle();
      if (turn !== this.#turn) break;
      // Another may have been drawn meanwhile.
      const drawn = draw();
      if (drawn) this.#read(drawn, screen, locale, device, work, base, misfits, lines);
    }
    const found = { misfits: [...misfits.values()], lines };
    if (turn === this.#turn) measured.set(name, found);
    return found;
  }

  #read(
    drawn: HTMLElement,
    screen: JsonObject,
    locale: string,
    device: Device,
    { defaultLocale }: Work,
    base: Found | undefined,
    misfits: Map<string, Misfit>,
    lines: Map<string, number>,
  ) {
    const known = knowScreen(screen);
    for (const read of readWords(drawn)) {
      const text = textShown(known, read.layer, read.said, locale, defaultLocale);
      if (!text) continue;
      const { key, layer, path } = text;
      lines.set(key, read.lines);
      const misfit = misfitOf(read, base?.lines.get(key));
      const place = { screen: String(screen.id), layer, text: key, path, locale, device: device.id };
      if (misfit && !misfits.has(key)) misfits.set(key, { ...misfit, ...place });
    }
  }
}

const isSameLook = (a: Work, b: Work) =>
  a.look.mediaMap === b.look.mediaMap &&
  a.look.branding === b.look.branding &&
  a.defaultLocale === b.defaultLocale &&
  isSameBesideScreens(a.flow, b.flow);

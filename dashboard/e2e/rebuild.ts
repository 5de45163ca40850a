import type { Locator, Page } from 'playwright-core';
import { canonical, find, setIn, unsetIn } from '../src/editor/document/canonical';
import type { Json, JsonObject } from '../src/editor/document/operation';
import { labelOf, wordsOf } from '../src/editor/labels';
import { kindName } from '../src/editor/names';
import { applies, type Property, propertiesOf } from '../src/editor/properties';

type Layer = JsonObject & { id: string; kind: string; children?: Layer[] };
type Screen = JsonObject & { id: string; name: string; regions: Record<string, Layer> };

/** A layer of the manifest that is built, and where its row is in the tree. */
type Row = { layer: Layer; rows: Row[] };

const regions = ['header', 'body', 'footer'];

/** Builds screens of a manifest anew in the editor, by what a person can press and type: the panel adds layers, the
 * inspector sets every property by the control that the table of properties has for it, and JSON what it leaves to that. */
export class Rebuilder {
  /** How many properties were set by controls, and which ones as JSON. */
  byControl = 0;
  readonly asJson: string[] = [];

  constructor(
    private readonly page: Page,
    /** The draft as the server has it. */
    private readonly draft: () => Promise<{ screens: Screen[] }>,
  ) {}

  /** Adds a screen with the layers of another. */
  async screen(target: Screen): Promise<void> {
    const { page } = this;
    await page.getByRole('button', { name: 'Add a screen', exact: true }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).first().fill(target.name);
    await page.keyboard.press('Enter');
    // A region comes with a block, which is taken out again.
    for (const [region, block] of [
      ['header', 'Header with progress'],
      ['footer', 'Continue and skip'],
    ] as const) {
      if (!target.regions[region]) continue;
      await this.#add(block);
      await this.#rows().and(page.locator('[aria-selected=true]')).click();
      await page.keyboard.press('Delete');
    }
    const tree: Row[] = regions
      .filter((region) => target.regions[region])
      .map((region) => ({ layer: target.regions[region]!, rows: [] }));
    for (const row of tree) await this.#fill(tree, row);
    await this.#set(tree, target);
  }

  async #fill(tree: Row[], row: Row): Promise<void> {
    for (const child of row.layer.children ?? []) {
      await this.#select(tree, row);
      await this.#add(kindName(child.kind));
      const made: Row = { layer: child, rows: [] };
      row.rows.push(made);
      // What it comes with makes place for what it is to have.
      await this.#select(tree, made);
      const at = flat(tree).indexOf(made);
      for (;;) {
        const rows = this.#rows();
        const own = Number(await rows.nth(at).getAttribute('aria-level'));
        const next = (await rows.count()) > at + 1 ? Number(await rows.nth(at + 1).getAttribute('aria-level')) : 0;
        if (next <= own) break;
        await rows.nth(at + 1).click();
        await this.page.keyboard.press('Delete');
      }
      await this.#fill(tree, made);
    }
  }

  /** Sets all properties in light, then the colors that differ in dark. */
  async #set(tree: Row[], target: Screen): Promise<void> {
    await this.#saved();
    const built = (await this.draft()).screens.find(({ name }) => name === target.name)!;
    const pairs = pairsOf(target, built);
    for (const palette of ['light', 'dark'] as const) {
      await this.page
        .getByRole('radiogroup', { name: 'Theme' })
        .getByText(palette === 'light' ? 'Light' : 'Dark')
        .click();
      for (const row of flat(tree)) {
        const is = pairs.get(row.layer.id)!;
        const differ = propertiesOf(row.layer.kind).filter(({ path }) => differs(row.layer, is, path));
        const here = differ.filter(({ path }) => palette === 'light' || isPair(find(row.layer, path)));
        if (here.length === 0) continue;
        await this.#select(tree, row);
        for (const property of here) await this.#property(property, row.layer, is, palette);
      }
    }
    await this.page.getByRole('radiogroup', { name: 'Theme' }).getByText('Light').click();
    await this.#container(target);
  }

  /** Sets what the screen has of its own; where it leads is a matter of the graph. */
  async #container(target: Screen): Promise<void> {
    const { page } = this;
    await page.getByRole('link', { name: target.name }).click();
    const as = (screen: Screen): Layer => ({ ...screen, kind: 'screen' });
    const own = propertiesOf('screen').filter(({ path }) => /^containerStyle/.test(path[0]!));
    // Its form first: what belongs to it is offered then.
    const is = (): Promise<Screen> =>
      this.draft().then(({ screens }) => screens.find(({ name }) => name === target.name)!);
    for (const form of [true, false]) {
      await this.#saved();
      const built = as(await is());
      for (const property of own.filter(({ control }) => form === ('is' in control && control.is === 'variant')))
        if (differs(as(target), built, property.path)) await this.#property(property, as(target), built, 'light');
    }
    await page.getByRole('radiogroup', { name: 'Theme' }).getByText('Dark').click();
    const built = as(await is());
    for (const property of own)
      if (isPair(find(target, property.path)) && differs(as(target), built, property.path))
        await this.#property(property, as(target), built, 'dark');
    await page.getByRole('radiogroup', { name: 'Theme' }).getByText('Light').click();
  }

  async #property(property: Property, target: Layer, built: Layer, palette: 'light' | 'dark'): Promise<void> {
    const { path, control, section } = property;
    const [want, have] = [find(target, path), find(built, path)];
    const label = labelOf(path);
    const details = this.#side().locator('details', {
      has: this.page.locator('summary', { hasText: new RegExp(`^${section}$`) }),
    });
    if ((await details.count()) > 0 && (await details.getAttribute('open')) === null)
      await details.locator('summary').click();
    const field = details.getByLabel(label, { exact: true });
    // What is seldom set is folded.
    const more = details.locator('details:not([open])', { has: this.page.getByLabel(label, { exact: true }) });
    if ((await more.count()) > 0) await more.locator('summary').click();
    if ('json' in control || control.is === 'media' || !applies(property, target, target.kind)) {
      if (palette === 'light') await this.#json(path, want);
      return;
    }
    this.byControl++;
    if (want === undefined) return details.getByRole('button', { name: `Reset ${label}`, exact: true }).click();
    switch (control.is) {
      case 'text':
        return field.fill(String((want as JsonObject).default));
      case 'line':
        return field.fill(String(want));
      case 'number':
        return this.#number(field, want);
      case 'switch':
        return field.setChecked(want === true);
      case 'choice':
        return void (await field.selectOption({ label: wordsOf(String(want)) }));
      case 'variant':
        return void (await field.selectOption(String(want)));
      case 'size':
        await field.selectOption(typeof want === 'number' ? 'fixed' : String(want));
        if (typeof want === 'number') await this.#number(details.getByLabel(`${label} in pixels`), want);
        return;
      case 'spacing':
        for (const [side, name] of Object.entries({ t: 'top', r: 'right', b: 'bottom', l: 'left' })) {
          const [to, from] = [find(want, [side]), find(have, [side])];
          if (to !== from) await this.#number(details.getByLabel(`${label}: ${name}`, { exact: true }), to ?? '');
        }
        return;
      case 'color': {
        if (palette === 'light' && isPair(want) !== isPair(have)) {
          await details.getByRole('button', { name: `Choose ${label}`, exact: true }).click();
          await this.page.getByRole('checkbox', { name: 'Differs in dark mode' }).setChecked(isPair(want));
          await this.page.keyboard.press('Escape');
        }
        await field.fill(String(isPair(want) ? want[palette] : want));
        return field.press('Enter');
      }
      case 'action':
        if (Object.keys(want as JsonObject).length === 1)
          return void (await field.selectOption(String(find(want, ['kind']))));
        return this.#asJson(path, want); // where it leads to is in the graph of another flow
      default:
        return this.#asJson(path, want);
    }
  }

  async #asJson(path: readonly string[], want: Json): Promise<void> {
    this.byControl--;
    await this.#json(path, want);
  }

  async #number(field: Locator, value: Json): Promise<void> {
    await field.fill(String(value));
    await field.press('Enter');
  }

  /** Writes one property into the JSON of the selected node. */
  async #json(path: readonly string[], want: Json | undefined): Promise<void> {
    const tabs = this.#side().getByRole('radiogroup', { name: 'Show as' });
    await tabs.getByText('JSON').click();
    const code = this.#side().getByRole('textbox');
    await code.waitFor();
    const object = JSON.parse((await code.locator('.cm-line').allTextContents()).join('\n')) as JsonObject;
    const changed = want === undefined ? unsetIn(object, path) : setIn(object, path, want);
    await code.click();
    await this.page.keyboard.press('ControlOrMeta+a');
    await this.page.keyboard.insertText(JSON.stringify(changed));
    await tabs.getByText('Properties').click();
    this.asJson.push(path.join('.'));
  }

  async #add(name: string): Promise<void> {
    const tabs = this.page.getByRole('radiogroup', { name: 'Layers or new ones' });
    await tabs.getByText('Add', { exact: true }).click();
    await this.page
      .getByRole('listbox', { name: 'What can be added' })
      .getByRole('option', { name, exact: true })
      .click();
    await tabs.getByText('Layers', { exact: true }).click();
    await this.#rows().and(this.page.locator('[aria-selected=true]')).waitFor();
  }

  #rows = (): Locator => this.page.getByRole('tree', { name: 'Layers' }).getByRole('treeitem');
  #side = (): Locator => this.page.getByRole('complementary', { name: 'Properties' });
  #saved = () => this.page.getByRole('status').getByText('Saved', { exact: true }).waitFor();

  async #select(tree: Row[], row: Row): Promise<void> {
    await this.#rows().nth(flat(tree).indexOf(row)).click();
  }
}

const flat = (rows: readonly Row[]): Row[] => rows.flatMap((row) => [row, ...flat(row.rows)]);

const isPair = (value: Json | undefined): value is { light: string; dark: string } =>
  find(value, ['light']) !== undefined && find(value, ['dark']) !== undefined;

function differs(target: Layer, built: Layer, path: readonly string[]): boolean {
  const [want, have] = [find(target, path), find(built, path)];
  if (want === undefined || have === undefined) return want !== have;
  return canonical(want) !== canonical(have);
}

/** The built layer of each layer of the manifest, by their places. */
function pairsOf(target: Screen, built: Screen): Map<string, Layer> {
  const out = new Map<string, Layer>();
  const walk = (to: Layer, from: Layer) => {
    out.set(to.id, from);
    for (const [at, child] of (to.children ?? []).entries()) walk(child, from.children![at]!);
  };
  for (const region of regions) if (target.regions[region]) walk(target.regions[region], built.regions[region]!);
  return out;
}

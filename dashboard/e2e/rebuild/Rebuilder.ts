import type { Locator, Page } from 'playwright-core';
import { canonical, find } from '../../src/editor/document/canonical';
import { open } from '../../src/editor/document/document';
import type { JsonObject } from '../../src/editor/document/operation';
import { kindName } from '../../src/editor/names';
import { propertiesOf } from '../../src/editor/properties';
import { subjectsOf } from '../../src/editor/subjects';
import {
  differs,
  flat,
  inside,
  type Layer,
  listOf,
  type Manifest,
  type Row,
  type Screen,
  type Step,
  withIds,
} from './manifest';
import { setClips, setMotions } from './motion';
import { isPair, Side } from './Side';
import { setExpression } from './sentences';

const regions = ['header', 'body', 'footer'];

/** Builds a manifest anew in the editor from a blank flow, by what a person can press and type: the panel adds layers,
 * the graph steps, the inspector sets every property. */
export class Rebuilder {
  readonly side: Side;
  readonly #trees = new Map<string, Row[]>();

  constructor(
    private readonly page: Page,
    /** The draft as the server has it. */
    private readonly draft: () => Promise<Manifest>,
  ) {
    this.side = new Side(page);
  }

  /** Builds a manifest. Returns it with the ids of what was built in the place of its own. */
  async flow(manifest: Manifest): Promise<Manifest> {
    for (const screen of manifest.screens) await this.#screen(screen);
    await this.#steps(manifest);
    const { target, built } = await this.#mapped(manifest);
    for (const screen of target.screens) await this.#set(screen, built);
    for (const screen of target.screens) await this.#conditions(screen);
    await this.#graph(target);
    await this.#whole(target);
    await this.#saved();
    return target;
  }

  /** Adds a screen with its layers, as they come. */
  async #screen(target: Screen): Promise<void> {
    const { page } = this;
    await page.getByRole('button', { name: 'Add a screen', exact: true }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).first().fill(target.name);
    await page.keyboard.press('Enter');
    const content = await this.side.section('Content');
    for (const region of ['Header', 'Footer'])
      if (target.regions[region.toLowerCase()]) await content.getByLabel(region, { exact: true }).check();
    const tree: Row[] = regions
      .filter((region) => target.regions[region])
      .map((region) => ({ layer: target.regions[region]!, rows: [] }));
    for (const row of tree) await this.#fill(tree, row);
    this.#trees.set(target.id, tree);
  }

  async #fill(tree: Row[], row: Row): Promise<void> {
    const { layer } = row;
    const children = inside(layer);
    if (layer.kind === 'single_choice' || layer.kind === 'multiple_choice' || layer.kind === 'carousel') {
      // They come with two, and get more of the same.
      row.rows = children.map((child) => ({ layer: child, rows: [] }));
      const first = this.#rows().nth(flat(tree).indexOf(row) + 1);
      await this.#empty(first);
      for (let at = 2; at < children.length; at++) {
        await first.click();
        await this.page.keyboard.press('ControlOrMeta+d');
      }
      await this.#emptyRow(tree, row.rows.at(-1)!);
    } else if (layer.kind === 'conditional') {
      // What each case shows, and behind the first what shows otherwise.
      const cases = listOf(layer.cases).map(({ rootLayerId }) => rootLayerId!);
      const of = (id: unknown) => ({ layer: children.find((child) => child.id === id)!, rows: [] });
      row.rows = [of(cases[0]), of(layer.elseRootLayerId)];
      for (const made of row.rows) await this.#emptyRow(tree, made);
      for (const root of cases.slice(1)) {
        await this.#select(tree, row);
        await (await this.side.section('Actions')).getByRole('button', { name: 'Case', exact: true }).click();
        row.rows.push(of(root));
      }
    } else {
      for (const child of children) {
        await this.#select(tree, row);
        await this.#add(kindName(child.kind));
        const made: Row = { layer: child, rows: [] };
        row.rows.push(made);
        await this.#fillMade(tree, made);
      }
      return;
    }
    for (const made of row.rows) await this.#fill(tree, made);
  }

  /** What a new layer comes with makes place for what it is to have, unless it comes with the like. */
  async #fillMade(tree: Row[], made: Row): Promise<void> {
    if (!/^(single_choice|multiple_choice|carousel|conditional)$/.test(made.layer.kind))
      await this.#emptyRow(tree, made);
    const wheel = made.layer.kind === 'wheel_picker' ? listOf(made.layer.options) : [];
    for (let at = 3; at < wheel.length; at++)
      await this.side.root().getByRole('button', { name: 'Option', exact: true }).click();
    await this.#fill(tree, made);
  }

  async #emptyRow(tree: Row[], row: Row): Promise<void> {
    await this.#select(tree, row);
    await this.#empty(this.#rows().nth(flat(tree).indexOf(row)));
  }

  /** Deletes the layers inside of the layer of a row of the tree. */
  async #empty(row: Locator): Promise<void> {
    await row.click();
    const own = Number(await row.getAttribute('aria-level'));
    const selected = await this.#rows().evaluateAll((rows) => rows.findIndex((one) => one.ariaSelected === 'true'));
    for (;;) {
      const next = this.#rows().nth(selected + 1);
      const level = (await next.count()) > 0 ? Number(await next.getAttribute('aria-level')) : 0;
      if (level <= own) return;
      await next.click();
      await this.page.keyboard.press('Delete');
    }
  }

  /** Adds the other steps of the graph, by their names. */
  async #steps({ decisionNodes, externalSurfaceNodes }: Manifest): Promise<void> {
    if (decisionNodes.length + externalSurfaceNodes.length === 0) return;
    await this.#mode('Graph');
    const add = async (kind: string, { name }: Step) => {
      await this.page.getByRole('button', { name: 'Add a step' }).click();
      await this.page.getByRole('menuitem', { name: `New ${kind}` }).click();
      const field = (await this.side.section('Content')).getByLabel('Name', { exact: true });
      await field.fill(name);
      this.side.byControl++;
    };
    for (const decision of decisionNodes) await add('decision', decision);
    for (const surface of externalSurfaceNodes) await add('paywall', surface);
    await this.#mode('Design');
  }

  /** Finds what was built for each node, by their places. */
  async #mapped(manifest: Manifest): Promise<{ target: Manifest; built: Map<string, Layer> }> {
    await this.#saved();
    const draft = await this.draft();
    const ids = new Map<string, string>();
    const built = new Map<string, Layer>();
    const pair = (row: Row, is: Layer) => {
      ids.set(row.layer.id, is.id);
      built.set(row.layer.id, is);
      const made = inside(is);
      if (made.length !== row.rows.length) {
        const kinds = (layers: readonly Layer[]) => layers.map(({ kind }) => kind).join(', ');
        const wanted = kinds(row.rows.map((inner) => inner.layer));
        throw new Error(`${row.layer.id} holds ${kinds(made) || 'nothing'} instead of ${wanted || 'nothing'}`);
      }
      for (const [at, child] of made.entries()) pair(row.rows[at]!, child);
    };
    for (const [at, screen] of manifest.screens.entries()) {
      const is = draft.screens[at]!;
      ids.set(screen.id, is.id);
      const tree = this.#trees.get(screen.id)!;
      this.#trees.set(is.id, tree);
      const shown = regions.filter((region) => screen.regions[region]);
      for (const [i, row] of tree.entries()) pair(row, is.regions[shown[i]!]!);
    }
    for (const list of ['decisionNodes', 'externalSurfaceNodes'] as const)
      for (const [at, step] of manifest[list].entries()) ids.set(step.id, draft[list][at]!.id);
    const target = withIds(manifest, ids, built);
    const wanted = new Map<string, Layer>();
    const collect = (layer: Layer) => {
      wanted.set(layer.id, layer);
      for (const child of inside(layer)) collect(child);
    };
    for (const screen of target.screens) for (const region of Object.values(screen.regions)) collect(region);
    for (const row of [...this.#trees.values()].flatMap(flat)) {
      const id = ids.get(row.layer.id);
      if (id !== undefined) row.layer = wanted.get(id)!;
    }
    return { target, built: new Map([...built.values()].map((layer) => [layer.id, layer])) };
  }

  /** Sets all properties of a screen in light, then the colors that differ in dark. */
  async #set(screen: Screen, built: ReadonlyMap<string, Layer>): Promise<void> {
    const tree = this.#trees.get(screen.id)!;
    await this.#show(screen);
    for (const palette of ['light', 'dark'] as const) {
      await this.#palette(palette);
      for (const row of flat(tree)) {
        const is = built.get(row.layer.id)!;
        const differ = propertiesOf(row.layer.kind).filter(({ path }) => differs(row.layer, is, path));
        const here = differ.filter(({ path }) => palette === 'light' || isPair(find(row.layer, path)));
        const more = palette === 'light' && (row.layer.restingMotions || row.layer.kind === 'wheel_picker');
        if (here.length === 0 && !more) continue;
        await this.#select(tree, row);
        for (const property of here)
          if (!/^(elseRootLayerId|optionBindings)$/.test(property.path[0]!))
            await this.side.set(property, row.layer, is, row.layer.kind, { palette });
        if (palette === 'light') await setMotions(this.side, row.layer);
        if (palette === 'light') await this.#wheel(row.layer);
      }
    }
    await this.#palette('light');
    await this.#container(screen);
    await setClips(this.side, screen);
  }

  async #wheel({ kind, options }: Layer): Promise<void> {
    if (kind !== 'wheel_picker') return;
    const content = await this.side.section('Content');
    if (!options) return content.getByRole('button', { name: /^Remove \d+ options, which dates/ }).click();
    const list = content.getByRole('list', { name: 'Options' });
    for (const [at, { label }] of listOf(options).entries()) {
      await list.getByRole('textbox', { name: `Option ${at + 1}`, exact: true }).fill(String(find(label, ['default'])));
      this.side.byControl++;
    }
  }

  /** Sets what the screen has of its own. */
  async #container(target: Screen): Promise<void> {
    await this.#show(target);
    const own = propertiesOf('screen').filter(({ path }) => path[0] !== 'name');
    const is = () => this.draft().then(({ screens }) => screens.find(({ id }) => id === target.id)!);
    // Its form first: what belongs to it is offered then.
    for (const form of [true, false]) {
      await this.#saved();
      const built = await is();
      for (const property of own.filter(({ control }) => form === ('is' in control && control.is === 'variant')))
        if (differs(target, built, property.path)) await this.side.set(property, target, built, 'screen');
    }
    await this.#saved();
    const built = await is();
    await this.#palette('dark');
    for (const property of own)
      if (isPair(find(target, property.path)) && differs(target, built, property.path))
        await this.side.set(property, target, built, 'screen', { palette: 'dark' });
    await this.#palette('light');
  }

  /** Sets the cases of the conditions of a screen, when all that they are about is there. */
  async #conditions(screen: Screen): Promise<void> {
    const tree = this.#trees.get(screen.id)!;
    for (const row of flat(tree)) {
      if (row.layer.kind !== 'conditional') continue;
      await this.#show(screen);
      await this.#select(tree, row);
      await this.#cases(row.layer, row.layer.id);
    }
  }

  async #cases(node: JsonObject, at?: string): Promise<void> {
    const section = await this.side.section('Actions');
    for (const [i, one] of listOf(node.cases).entries()) {
      const group = section.getByRole('group', { name: `Condition of case ${i + 1}`, exact: true });
      if (i > 0 && (await group.count()) === 0)
        await section.getByRole('button', { name: 'Case', exact: true }).click();
      await this.#saved();
      const subjects = subjectsOf(open(await this.draft()), at);
      if (await setExpression(group, one.expression as JsonObject, subjects)) this.side.byControl++;
      else this.side.asJson.push(`case: ${canonical(one.expression!)}`);
      if (one.name !== undefined)
        await section.getByLabel(`Name of case ${i + 1}`, { exact: true }).fill(String(one.name));
      if (one.next !== undefined)
        await section.getByLabel(`Case ${i + 1} leads to`, { exact: true }).selectOption(String(one.next ?? ''));
      this.side.byControl += 2;
    }
    if (node.elseNext === undefined) return;
    await section.getByLabel('Otherwise leads to', { exact: true }).selectOption(String(node.elseNext ?? ''));
    this.side.byControl++;
  }

  /** Sets what decisions ask, and what paywalls show and lead to. */
  async #graph({ decisionNodes, externalSurfaceNodes }: Manifest): Promise<void> {
    if (decisionNodes.length + externalSurfaceNodes.length === 0) return;
    await this.#mode('Graph');
    for (const decision of decisionNodes) {
      await this.#step(decision);
      await this.#cases(decision);
    }
    for (const surface of externalSurfaceNodes) {
      await this.#step(surface);
      const own = propertiesOf('surface').toSorted((a, b) => Number(isForm(b)) - Number(isForm(a)));
      for (const property of own) {
        await this.#saved();
        const built = (await this.draft()).externalSurfaceNodes.find(({ id }) => id === surface.id)!;
        if (differs(surface, built, property.path)) await this.side.set(property, surface, built, 'surface');
      }
    }
    await this.#mode('Design');
  }

  /** Sets what the flow has as a whole. */
  async #whole(target: Manifest): Promise<void> {
    await this.page.getByRole('application', { name: 'Canvas' }).focus();
    const head = this.side.root().getByRole('heading', { name: 'Flow', exact: true });
    for (let i = 0; i < 20 && (await head.count()) === 0; i++) await this.page.keyboard.press('Escape');
    await this.#saved();
    const built = await this.draft();
    for (const property of propertiesOf('flow'))
      if (property.path[0] !== 'builderMeta' && differs(target, built, property.path))
        await this.side.set(property, target, built, 'flow');
  }

  async #step({ name }: Step): Promise<void> {
    const graph = this.page.getByRole('region', { name: 'Graph' });
    const node = this.page.locator('.react-flow__node');
    await graph
      .getByLabel(new RegExp(`^[^.]*\\b${escaped(name)}`))
      .and(node)
      .first()
      .focus();
    await this.page.keyboard.press('Space');
    await this.side.root().getByRole('heading', { name, exact: true }).waitFor();
  }

  async #mode(name: 'Design' | 'Graph'): Promise<void> {
    await this.page.getByRole('radiogroup', { name: 'Mode' }).getByText(name, { exact: true }).click();
  }

  async #show({ name }: Screen): Promise<void> {
    await this.page
      .getByRole('link', { name: new RegExp(`^${escaped(name)}`) })
      .first()
      .click();
    await this.side.root().getByRole('heading', { name, exact: true }).waitFor();
  }

  async #palette(palette: 'light' | 'dark'): Promise<void> {
    const words = palette === 'light' ? 'Light' : 'Dark';
    await this.page.getByRole('radiogroup', { name: 'Theme' }).getByText(words).click();
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
  #saved = () => this.page.getByRole('status').getByText('Saved', { exact: true }).waitFor();

  async #select(tree: Row[], row: Row): Promise<void> {
    await this.#rows().nth(flat(tree).indexOf(row)).click();
  }
}

const escaped = (words: string) => words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const isForm = ({ control }: ReturnType<typeof propertiesOf>[number]) => 'is' in control && control.is === 'variant';

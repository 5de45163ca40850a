import type { Locator, Page } from 'playwright-core';
import { breakpoints, pathAt } from '../../src/editor/breakpoints';
import { find, setIn, unsetIn } from '../../src/editor/document/canonical';
import type { Json, JsonObject } from '../../src/editor/document/operation';
import { lookOf, subjectOf } from '../../src/editor/inspector/icons/names';
import { labelOf, wordsOf } from '../../src/editor/labels';
import { applies, type Property, propertiesOf } from '../../src/editor/properties';
import { listOf } from './manifest';

export const isPair = (value: Json | undefined): value is { light: string; dark: string } =>
  find(value, ['light']) !== undefined && find(value, ['dark']) !== undefined;

/** The inspector, worked in as a person does: properties are set by the control that the table of properties has for
 * them, and as JSON what it leaves to that. */
export class Side {
  /** How many properties were set by controls, and which ones as JSON. */
  byControl = 0;
  readonly asJson: string[] = [];

  constructor(readonly page: Page) {}

  root = (): Locator => this.page.getByRole('complementary', { name: 'Properties' });

  /** A section, opened. */
  async section(name: string): Promise<Locator> {
    const details = this.root().locator('details', {
      has: this.page.locator('summary', { hasText: new RegExp(`^${name}$`) }),
    });
    if ((await details.count()) > 0 && (await details.getAttribute('open')) === null)
      await details.locator('summary').first().click();
    // What is seldom set is folded in it.
    const folded = details.locator('details:not([open]) > summary');
    if ((await folded.count()) > 0) await folded.first().click();
    return details;
  }

  /** Sets one property of what is selected; of an item in a list `within` is its place. `sides`
   * empties those of a distance that are not wanted too. */
  async set(
    property: Property,
    target: JsonObject,
    built: JsonObject,
    kind: string,
    { palette = 'light', within, sides }: { palette?: 'light' | 'dark'; within?: Locator; sides?: true } = {},
  ): Promise<void> {
    const { path, control, section } = property;
    const [want, have] = [find(target, path), find(built, path)];
    const label = labelOf(path);
    const around = within ?? (await this.section(section));
    const field = around.getByLabel(label, { exact: true });
    if ('json' in control && control.json === 'by breakpoint') return this.#widths(path[0]!, target, kind);
    if ('json' in control || !applies(property, target, kind)) {
      if (palette === 'light') await this.json(path, want);
      return;
    }
    this.byControl++;
    if (want === undefined) return around.getByRole('button', { name: `Reset ${label}`, exact: true }).click();
    switch (control.is) {
      case 'text':
        return field.fill(String((want as JsonObject).default));
      case 'line':
        if (path[0] === 'defaultOptionId') return void (await field.selectOption(String(want)));
        return field.fill(String(want));
      case 'list':
        if (control.values) return this.#ticks(field, control.values, want as string[]);
        await field.fill((want as string[]).join(', '));
        return field.press('Enter');
      case 'number':
        return this.number(field, want);
      case 'switch':
        if ((await field.isChecked()) === want) await field.click(); // it is so by default
        return field.setChecked(want === true);
      case 'choice':
        return void (await field.selectOption({ label: wordsOf(String(want)) }));
      case 'variant':
      case 'target':
        return void (await field.selectOption(String(want ?? '')));
      case 'size':
        await field.selectOption(typeof want === 'number' ? 'fixed' : String(want));
        if (typeof want === 'number') await this.number(around.getByLabel(`${label} in pixels`), want);
        return;
      case 'spacing':
        for (const [side, name] of Object.entries({ t: 'top', r: 'right', b: 'bottom', l: 'left' })) {
          const [to, from] = [find(want, [side]), find(have, [side])];
          if (to !== from || sides)
            await this.number(around.getByLabel(`${label}: ${name}`, { exact: true }), to ?? '');
        }
        return;
      case 'color':
        return this.#color(around, field, label, want, have, palette);
      case 'media':
        await around.getByRole('button', { name: new RegExp(`^${label}: `) }).click();
        return this.page.getByRole('dialog').locator('li button').first().click();
      case 'icon':
        await around.getByRole('button', { name: new RegExp(`^${label}: `) }).click();
        return this.#icon(String(want));
      case 'font':
        await field.fill(String(want));
        return void (await around.getByRole('option').first().click());
      case 'action':
        return this.#action(around, field, want as JsonObject);
      case 'branching':
        return this.#branching(around, target, want as JsonObject);
      case 'whenDone':
        await field.selectOption(String(find(want, ['mode'])));
        if (find(want, ['mode']) === 'screen')
          await around.getByLabel('Step to go to at the end').selectOption(String(find(want, ['screenId'])));
        return;
      case 'trigger':
        return void (await field.selectOption(String(want)));
    }
  }

  /** Sets what holds from each width on, by the controls of what holds at all widths. */
  async #widths(member: string, target: JsonObject, kind: string): Promise<void> {
    const width = this.root().getByLabel('Set for', { exact: true });
    for (const [breakpoint] of breakpoints) {
      if (find(target, [member, breakpoint]) === undefined) continue;
      await width.selectOption(breakpoint);
      for (const property of propertiesOf(kind)) {
        const at = pathAt(kind, property.path, breakpoint);
        const want = at && find(target, at);
        if (at?.[0] !== member || want === undefined) continue;
        // As if it were the property itself: what narrower widths have is shown until it has its own.
        const alone = setIn(target, property.path, want);
        await this.set(property, alone, unsetIn(alone, property.path), kind, { sides: true });
      }
    }
    await width.selectOption('');
  }

  /** Ticks what is wanted before the rest is taken away: a list may have to hold one. */
  async #ticks(group: Locator, values: readonly string[], want: readonly string[]): Promise<void> {
    for (const on of [true, false])
      for (const one of values.filter((value) => want.includes(value) === on))
        await group.getByRole('checkbox', { name: wordsOf(one), exact: true }).setChecked(on);
  }

  async number(field: Locator, value: Json): Promise<void> {
    await field.fill(String(value));
    await field.press('Enter');
  }

  async #color(
    around: Locator,
    field: Locator,
    label: string,
    want: Json,
    have: Json | undefined,
    palette: 'light' | 'dark',
  ) {
    if (palette === 'light' && isPair(want) !== isPair(have)) {
      await around.getByRole('button', { name: `Choose ${label}`, exact: true }).click();
      await this.page.getByRole('checkbox', { name: 'Differs in dark mode' }).setChecked(isPair(want));
      await this.page.keyboard.press('Escape');
    }
    await field.fill(String(isPair(want) ? want[palette] : want));
    return field.press('Enter');
  }

  /** Chooses an icon where all are shown: names without their look are the same in each. */
  async #icon(name: string): Promise<void> {
    const picker = this.page.getByRole('dialog', { name: 'Icons' });
    await picker.getByRole('option').first().waitFor();
    await picker.getByRole('radiogroup', { name: 'Look' }).getByText(lookOf(name)).click();
    return picker.getByRole('option', { name: subjectOf(name), exact: true }).click();
  }

  async #action(around: Locator, field: Locator, want: JsonObject): Promise<void> {
    await field.selectOption(String(want.kind));
    const labels: Record<string, string> = {
      fallbackScreenId: 'Screen to go to where there is none before',
      permissionKey: 'Permission',
      targetLayerId: 'Carousel',
      onLast: 'On the last page',
      screenId: 'Step to go to',
    };
    for (const [member, label] of Object.entries(labels))
      if (want[member] !== undefined)
        await around.getByLabel(label, { exact: true }).selectOption(String(want[member]));
    const outcomes = want.outcomes as JsonObject | undefined;
    for (const [outcome, to] of Object.entries(outcomes ?? {}))
      await around.getByLabel(`If ${outcome}`, { exact: true }).selectOption(String(to));
  }

  async #branching(around: Locator, target: JsonObject, want: JsonObject): Promise<void> {
    const ids = listOf(target.optionBindings).map(({ optionId }) => optionId);
    const ways = around.getByRole('group', { name: 'Where options lead' }).getByRole('combobox');
    for (const { choiceId, goTo } of listOf(want.conditions))
      await ways.nth(ids.indexOf(choiceId)).selectOption(String(goTo));
  }

  /** Writes one property into the JSON of the selected node. */
  async json(path: readonly string[], want: Json | undefined): Promise<void> {
    const tabs = this.root().getByRole('radiogroup', { name: 'Show as' });
    await tabs.getByText('JSON').click();
    const code = this.root().getByRole('textbox');
    await code.waitFor();
    const object = JSON.parse((await code.locator('.cm-line').allTextContents()).join('\n')) as JsonObject;
    const changed = want === undefined ? unsetIn(object, path) : setIn(object, path, want);
    await code.click();
    await this.page.keyboard.press('ControlOrMeta+a');
    await this.page.keyboard.insertText(JSON.stringify(changed));
    await tabs.getByText('Properties').click();
    this.asJson.push(path.join('.'));
  }
}

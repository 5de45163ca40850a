import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Somebody at the mouse and the keys whose every action is counted: a click, a drag, a text that is typed or pasted, a
 * press of a key. A double click is two, and so is a choice from a list. After each action the page must not have refused
 * it: a way that ends in a refusal is a dead end. */
export class Effort {
  readonly actions: string[] = [];

  constructor(private readonly page: Page) {}

  async click(what: Locator, words?: string): Promise<void> {
    await this.#act(1, `click ${words ?? ''}${words ? '' : what}`, () => what.click());
  }

  /** Presses where something is, below whatever marks it on the canvas. */
  async pressAt(what: Locator, times: 1 | 2 = 1): Promise<void> {
    await this.#act(times, `press ${what}`, async () => {
      await what.waitFor();
      const box = (await what.boundingBox())!;
      await this.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2, { clickCount: times });
    });
  }

  /** Types into what has the focus, in place of what is selected there. */
  async type(words: string): Promise<void> {
    await this.#act(1, `type “${words}”`, () => this.page.keyboard.insertText(words));
  }

  async key(keys: string): Promise<void> {
    await this.#act(1, `key ${keys}`, () => this.page.keyboard.press(keys));
  }

  async choose(list: Locator, label: string): Promise<void> {
    await this.#act(2, `choose “${label}”`, () => list.selectOption({ label }));
  }

  async drag(from: { x: number; y: number }, to: { x: number; y: number }): Promise<void> {
    await this.#act(1, 'drag', async () => {
      const { mouse } = this.page;
      await mouse.move(from.x, from.y);
      await mouse.down();
      await mouse.move(from.x + 12, from.y + 12, { steps: 2 });
      await mouse.move(to.x, to.y, { steps: 4 });
      await mouse.up();
    });
  }

  /** Prints how many actions something took, and holds them to what it may take. */
  took(what: string, most: number): void {
    console.log(`${what}: ${this.actions.length} of ${most} actions`);
    expect(this.actions.length, this.actions.join('\n')).toBeLessThanOrEqual(most);
  }

  async #act(count: number, words: string, work: () => Promise<unknown>): Promise<void> {
    await work();
    for (let one = 0; one < count; one++) this.actions.push(words);
    const refusals = (await this.page.getByRole('alert').allTextContents()).filter((text) => text.trim() !== '');
    expect(refusals, `after ${words}`).toEqual([]);
  }
}

import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Somebody who has no pointer: everything is reached by Tab and the keys that a control listens to. */
export class Keyboard {
  constructor(private readonly page: Page) {}

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  async type(words: string): Promise<void> {
    await this.page.keyboard.type(words);
  }

  /** Walks by Tab until a control has the focus, at most once around the page. */
  async tabTo(control: Locator): Promise<void> {
    await control.first().waitFor({ state: 'attached' });
    const there = () => control.evaluateAll((all) => all.some((one) => one === document.activeElement));
    for (let tabs = 0; tabs < 200; tabs++) {
      if (await there()) return;
      await this.press('Tab');
    }
    throw new Error(`Tab does not lead to ${control}`);
  }

  /** Walks down a tree from its first row: one of its rows is reached by Tab, the others by arrows. */
  async walkTo(row: Locator, rows: Locator): Promise<void> {
    await this.tabTo(rows);
    await this.press('Home');
    const there = () => row.first().evaluate((one) => one === document.activeElement);
    for (let more = await rows.count(); more > 0 && !(await there()); more--) await this.press('ArrowDown');
    expect(await there(), `${row} is reached by arrows`).toBe(true);
  }

  /** Chooses from a list by its first letters, as people do who hear it read. */
  async choose(list: Locator, label: string): Promise<void> {
    await this.tabTo(list);
    await this.type(label);
    await expect
      .poll(() => list.evaluate((field) => (field as HTMLSelectElement).selectedOptions[0]?.label))
      .toBe(label);
  }
}

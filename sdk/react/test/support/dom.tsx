import { act, type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { vi } from 'vitest';

export interface Mounted {
  box: HTMLElement;
  rerender(ui: ReactNode): Promise<void>;
  unmount(): Promise<void>;
  /** Lets timers and promises of this many milliseconds run. */
  pass(ms?: number): Promise<void>;
  click(selector: string): Promise<void>;
  type(selector: string, value: string): Promise<void>;
  text(): string;
}

/** Mounts into a document under StrictMode; fake timers may be on. */
export async function mountUi(ui: ReactNode): Promise<Mounted> {
  (globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;
  const box = document.createElement('div');
  document.body.append(box);
  const root = createRoot(box);
  const render = (next: ReactNode) => act(async () => root.render(<StrictMode>{next}</StrictMode>));
  const pass = (ms = 0) =>
    act(async () => {
      if (vi.isFakeTimers()) await vi.advanceTimersByTimeAsync(ms);
      else await new Promise((resolve) => setTimeout(resolve, ms));
    });
  const find = (selector: string): HTMLElement => {
    const found = box.querySelector<HTMLElement>(selector);
    if (!found) throw new Error(`nothing matches ${selector} in ${box.textContent}`);
    return found;
  };
  await render(ui);
  await pass();
  return {
    box,
    rerender: render,
    unmount: async () => {
      await act(async () => root.unmount());
      box.remove();
    },
    pass,
    click: (selector) => act(async () => find(selector).click()),
    type: (selector, value) =>
      act(async () => {
        const input = find(selector) as HTMLInputElement;
        const set = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), 'value')?.set;
        set?.call(input, value);
        input.dispatchEvent(new Event('input', { bubbles: true }));
        input.dispatchEvent(new Event('change', { bubbles: true }));
      }),
    text: () =>
      [...box.querySelectorAll('.svc-text, output, [role=alert]')].map((node) => node.textContent).join(' | '),
  };
}

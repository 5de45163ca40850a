import type { Renderer } from './renderer';
import type { Tracker } from './tracker';

/** How a flow is shown above the page, and who hears how it ended. */
export type Shown = {
  presentation?: 'modal' | 'sheet' | 'full-screen';
  onEnd?: (end: { terminal: string; answers?: unknown } | null) => void;
};

let loading: Promise<Renderer> | undefined;

/** The web renderer, loaded when the first flow is shown. */
function renderer({ settings }: Tracker): Promise<Renderer> {
  loading ??= import(/* @vite-ignore */ `${settings.server}/sdk/flow/renderer.js`) as Promise<Renderer>;
  return loading;
}

/** Shows the flow of a channel above the page. */
export function showFlow(tracker: Tracker, channel: string, shown: Shown = {}): void {
  renderer(tracker).then(
    (module) => module.present(tracker, channel, shown),
    () => console.warn('svc.js: the renderer of flows could not be loaded'),
  );
}

/** Defines `<svc-flow channel="ch_…">`, which shows a flow where it stands and fires `svc-end` when the run ended. */
export function defineFlow(tracker: Tracker): void {
  if (customElements.get('svc-flow')) return;
  customElements.define(
    'svc-flow',
    class extends HTMLElement {
      private unmount: (() => void) | undefined;

      connectedCallback(): void {
        const channel = this.getAttribute('channel') ?? '';
        renderer(tracker).then(
          (module) => {
            if (this.isConnected) this.unmount ??= module.mount(tracker, channel, this);
          },
          () => console.warn('svc.js: the renderer of flows could not be loaded'),
        );
      }

      disconnectedCallback(): void {
        this.unmount?.();
        this.unmount = undefined;
      }
    },
  );
}

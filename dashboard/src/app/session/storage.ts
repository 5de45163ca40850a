/** One text that the browser keeps for this reader; nothing breaks where it keeps none. */
function kept(key: string) {
  return {
    read(): string | null {
      try {
        return localStorage.getItem(key);
      } catch {
        return null;
      }
    },
    write(value: string): void {
      try {
        localStorage.setItem(key, value);
      } catch {
        // private windows may refuse
      }
    },
  };
}

/** The app that was open last. */
export const lastApp = kept('svc.app');

/** What was run in the playground, as JSON, the latest first. */
export const playgroundHistory = kept('svc.playground');

/** Whether the graph of the editor shows numbers: on or off. */
export const graphNumbers = kept('svc.graph.numbers');

/** The left column of the editor: its width in pixels, the share of it that screens take, in percent, and whether it is
 * folded: 248 40 open. */
export const leftColumn = kept('svc.editor.left');

/** The layers of a flow that its editor hides and locks, as JSON. */
export const layerView = (flow: string) => kept(`svc.editor.layers.${flow}`);

/** The size of one's own that the editor draws screens for: 390x844. */
export const ownSize = kept('svc.editor.size');

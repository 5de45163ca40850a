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

/** The size of one's own that the editor draws screens for: 390x844. */
export const ownSize = kept('svc.editor.size');

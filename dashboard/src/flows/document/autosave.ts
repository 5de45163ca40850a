import { Refused, willPass } from '../../graphql/problems';

/** What became of the text that is shown. */
export type SaveState =
  /** The server has it. */
  | 'saved'
  | 'waiting'
  | 'saving'
  /** It is no JSON yet, so it is kept here only. */
  | 'unfinished'
  /** The server does not answer, or can't for now; it is tried again. */
  | 'offline'
  /** Somebody else saved since. */
  | 'conflict'
  | 'refused';

type Ports = {
  saved: string;
  /** The draftRevision that `saved` is. */
  revision: number;
  /** Answers with the next revision. */
  save(draft: unknown, revision: number): Promise<number>;
  /** Keeps what is not saved in this browser; undefined when all is. It ends when a tab that is closed loses nothing. */
  keep(unsaved: { text: string; revision: number } | undefined): Promise<void> | void;
  report(state: SaveState, error?: unknown): void;
};

/** After the last change, in milliseconds. */
const delay = 800;
const offlineDelay = 3000;

/** Saves a text a moment after its last change, one save at a time. A conflict stops it: a retry would write over what
 * somebody else did. */
export function createAutosave({ saved, revision, save, keep, report }: Ports) {
  let current = saved;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let busy = false;
  let conflicted = false;
  let kept: Promise<void> | void;
  const schedule = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), ms);
  };
  const changed = (text: string) => {
    current = text;
    kept = keep(current === saved ? undefined : { text, revision });
    if (conflicted) return;
    if (current === saved && !busy) {
      clearTimeout(timer);
      return report('saved');
    }
    report('waiting');
    schedule(delay);
  };
  async function flush(): Promise<void> {
    clearTimeout(timer);
    if (busy || conflicted || current === saved) return;
    let draft: unknown;
    try {
      draft = JSON.parse(current);
    } catch {
      return report('unfinished');
    }
    const sent = current;
    busy = true;
    report('saving');
    try {
      revision = await save(draft, revision);
      saved = sent;
      keep(current === saved ? undefined : { text: current, revision });
      report(current === saved ? 'saved' : 'waiting');
      if (current !== saved) schedule(delay);
    } catch (error) {
      conflicted = error instanceof Refused && error.code === 'conflict';
      if (conflicted) report('conflict', error);
      else if (error instanceof Refused && !willPass(error)) report('refused', error);
      else {
        await kept; // it is said to be kept only when it is
        report('offline', error);
        schedule(offlineDelay);
      }
    } finally {
      busy = false;
    }
  }
  return {
    changed,
    flush,
    /** Goes on from another revision after a conflict: with its text, or with what is typed here. */
    resolve(theirs: number, text: string | undefined): Promise<void> {
      conflicted = false;
      revision = theirs;
      if (text === undefined) return flush();
      saved = text;
      changed(text);
      return Promise.resolve();
    },
    stop: () => clearTimeout(timer),
  };
}

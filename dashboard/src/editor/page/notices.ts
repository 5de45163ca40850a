import type { Editor, Refused } from '../document/editor';
import type { Undone } from '../document/undo';

/** Something that the person is told, and may do about it. */
export type Notice = {
  key: string;
  says: string;
  detail?: string;
  act?: { label: string; run: () => void };
  /** Absent while what it says goes on. */
  dismiss?: () => void;
};

/** What others' edits made impossible: a notice for each layer that was removed, and for each other step. */
export function refusalNotices(editor: Editor, say: (outcome: true | string) => void): Notice[] {
  return groups(editor.refused).map((refused) => {
    const [{ back, why, step }] = refused;
    return {
      key: `${why} ${step.name}`,
      says: `${why}.`,
      detail: `Not applied: ${list(refused.map(({ step }) => step.name))}.`,
      ...(back && { act: { label: `Bring back ${back.name}`, run: () => say(editor.bringBack(...refused)) } }),
      dismiss: () => editor.dismiss(...refused),
    };
  });
}

type Group = [Refused, ...Refused[]];

/** Steps that one removal made impossible are brought back together; those of a drag are told once. */
function groups(refused: readonly Refused[]): Group[] {
  const found = new Map<unknown, Group>();
  for (const one of refused) {
    const cause = one.back?.operations[0] ?? `${one.why} ${one.step.name}`;
    const group = found.get(cause);
    if (group) group.push(one);
    else found.set(cause, [one]);
  }
  return [...found.values()];
}

const stops: Record<string, string> = {
  unauthenticated: 'You are signed out. Sign in in another tab.',
  forbidden: 'Your role does not let you edit this flow any more.',
  conflict: 'The flow was archived. Restore it to go on.',
  not_found: 'The flow was removed.',
};

/** Why the server takes no edits any more, and how to go on. */
export function stopNotice({ stoppedBy, isKept }: Editor, again: () => void): Notice | undefined {
  if (!stoppedBy) return undefined;
  const detail = isKept ? 'What you changed is kept in this browser.' : 'What you changed is in this tab only.';
  return { key: 'stopped', says: stops[stoppedBy]!, detail, act: { label: 'Try again', run: again } };
}

/** What an undo or redo left to say: the question that it asks first, or what it left as it is. */
export function undoNotice(
  verb: 'undo' | 'redo',
  undone: Undone,
  again: () => void,
  dismiss: () => void,
): Notice | undefined {
  if (undone.is === 'asks')
    return { key: verb, says: undone.question, act: { label: undone.act, run: again }, dismiss };
  if (undone.is === 'nothing' || undone.kept.length === 0) return undefined;
  return { key: verb, says: `Left as it is: ${list(undone.kept)}.`, dismiss };
}

/** What a tab that was closed had left, and that could not be applied any more. */
export function lostNotice(lost: readonly string[], dismiss: () => void): Notice | undefined {
  if (lost.length === 0) return undefined;
  const says = `${lost.length === 1 ? 'A change' : `${lost.length} changes`} of a closed tab could not be applied.`;
  return { key: 'lost', says, detail: `${list(lost)}.`, dismiss };
}

/** Names, each once and three at most. */
function list(names: readonly string[]): string {
  const all = [...new Set(names)];
  const more = all.length > 3 ? ` and ${all.length - 3} more` : '';
  return all.slice(0, 3).join('; ') + more;
}

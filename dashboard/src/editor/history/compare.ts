import { canonical, isObject } from '../document/canonical';
import type { Flow } from '../document/document';
import type { JsonObject } from '../document/operation';

/** A screen of the draft as it was. */
export type ThenScreen = { id: string; name: string; differs: boolean; isThere: boolean };

export type Comparison = {
  /** The screens of then: those that differ from now first. */
  screens: readonly ThenScreen[];
  /** The names of screens that were not there then. */
  added: readonly string[];
};

/** Compares the screens of a draft as it was with those that it has now. */
export function compare(then: Flow, now: Flow): Comparison {
  const current = new Map(screensOf(now).map((screen) => [screen.id, screen]));
  const before = screensOf(then);
  const ids = new Set(before.map(({ id }) => id));
  const screens = before.map((screen) => {
    const other = current.get(screen.id);
    const differs = !other || canonical(other) !== canonical(screen);
    return { id: String(screen.id), name: nameOf(screen), differs, isThere: other !== undefined };
  });
  return {
    screens: screens.toSorted((a, b) => Number(b.differs) - Number(a.differs)),
    added: [...current.values()].filter(({ id }) => !ids.has(id)).map(nameOf),
  };
}

const screensOf = (flow: Flow): JsonObject[] => (Array.isArray(flow.screens) ? flow.screens.filter(isObject) : []);

const nameOf = ({ id, name }: JsonObject) => (typeof name === 'string' && name !== '' ? name : String(id));

/** What differs, in a sentence. */
export function sentenceOf({ screens, added }: Comparison): string {
  const changed = screens.filter(({ differs, isThere }) => differs && isThere).map(({ name }) => name);
  const gone = screens.filter(({ isThere }) => !isThere).map(({ name }) => name);
  const parts = [
    changed.length > 0 && `${listOf(changed)} ${changed.length === 1 ? 'differs' : 'differ'} from now`,
    gone.length > 0 && `${listOf(gone)} ${gone.length === 1 ? 'is' : 'are'} not there now`,
    added.length > 0 && `${listOf(added)} ${added.length === 1 ? 'was' : 'were'} not there yet`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'Every screen looks as it does now.' : `${parts.join('; ')}.`;
}

function listOf(names: readonly string[]): string {
  const all = names.slice(0, 4).map((name) => `“${name}”`);
  if (names.length > 4) return `${all.join(', ')} and ${names.length - 4} more`;
  return all.length > 1 ? `${all.slice(0, -1).join(', ')} and ${all.at(-1)}` : all[0]!;
}

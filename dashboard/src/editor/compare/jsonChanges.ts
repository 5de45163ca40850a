/** One value that two documents do not share. */
export type JsonChange = {
  /** JSON pointer; members of a list that have an id are named by it: `/screens/welcome/name`. */
  path: string;
  kind: 'added' | 'removed' | 'changed' | 'moved';
  before?: unknown;
  after?: unknown;
};

/** What is different in `after`, in its order. Lists of things with ids are compared by those, so that one more screen is
 * one change. */
export function changesOf(before: unknown, after: unknown, path = ''): JsonChange[] {
  if (Object.is(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) {
    const [ids, idsAfter] = [idsOf(before), idsOf(after)];
    if (ids && idsAfter) {
      const by = (list: readonly unknown[], names: readonly string[]) =>
        Object.fromEntries(list.map((value, i) => [names[i]!, value]));
      const found = membersOf(by(before, ids), by(after, idsAfter), path);
      const [kept, keptAfter] = [ids.filter((id) => idsAfter.includes(id)), idsAfter.filter((id) => ids.includes(id))];
      return kept.join() === keptAfter.join()
        ? found
        : [...found, { path, kind: 'moved', before: kept, after: keptAfter }];
    }
    return membersOf({ ...before }, { ...after }, path);
  }
  if (isObject(before) && isObject(after)) return membersOf(before, after, path);
  return [{ path, kind: 'changed', before, after }];
}

function membersOf(before: Record<string, unknown>, after: Record<string, unknown>, path: string): JsonChange[] {
  const names = [...Object.keys(after), ...Object.keys(before).filter((name) => !Object.hasOwn(after, name))];
  return names.flatMap((name) => {
    const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!Object.hasOwn(before, name)) return [{ path: at, kind: 'added' as const, after: after[name] }];
    if (!Object.hasOwn(after, name)) return [{ path: at, kind: 'removed' as const, before: before[name] }];
    return changesOf(before[name], after[name], at);
  });
}

/** The ids of a list whose members all have one of their own; undefined for any other. */
function idsOf(list: readonly unknown[]): string[] | undefined {
  const ids = list.flatMap((value) => (isObject(value) && typeof value.id === 'string' ? [value.id] : []));
  return ids.length === list.length && new Set(ids).size === ids.length ? ids : undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

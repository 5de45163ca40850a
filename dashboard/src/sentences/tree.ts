/** Conditions put together: clauses of one shape in groups, and what cannot be shown as either, kept as it is. */
export type Tree<Clause extends { is: 'clause' }, Kept> =
  | { is: 'never' }
  | { is: 'group'; match: 'all' | 'any'; parts: readonly Tree<Clause, Kept>[] }
  | Clause
  | { is: 'expression'; expression: Kept };

/** Where a part stands: its places in the groups around it. */
export type Path = readonly number[];

/** Adds a part to the group at a path, or beside what stands there. */
export function addPart<C extends { is: 'clause' }, K>(tree: Tree<C, K>, path: Path, part: Tree<C, K>): Tree<C, K> {
  return replacePart(tree, path, (at): Tree<C, K> => {
    if (at.is === 'never') return part;
    return at.is === 'group' ? { ...at, parts: [...at.parts, part] } : { is: 'group', match: 'all', parts: [at, part] };
  });
}

/** Puts another part in the place of one; null takes it away. A group of which one part is left is that part. */
export function replacePart<C extends { is: 'clause' }, K>(
  tree: Tree<C, K>,
  path: Path,
  to: (part: Tree<C, K>) => Tree<C, K> | null,
): Tree<C, K> {
  return replaceIn(tree, path, to) ?? { is: 'never' };
}

function replaceIn<C extends { is: 'clause' }, K>(
  tree: Tree<C, K>,
  [at, ...rest]: Path,
  to: (part: Tree<C, K>) => Tree<C, K> | null,
): Tree<C, K> | null {
  if (at === undefined) return to(tree);
  if (tree.is !== 'group') return tree;
  const parts = tree.parts.flatMap((part, i) => (i === at ? (replaceIn(part, rest, to) ?? []) : part));
  if (parts.length === tree.parts.length) return { ...tree, parts };
  return parts.length > 1 ? { ...tree, parts } : (parts[0] ?? null);
}

/** Puts a part of a group together with the one before it: into that where it is a group, else in front of its own, else
 * both into a new group that asks the other way round. */
export function joinPart<C extends { is: 'clause' }, K>(tree: Tree<C, K>, path: Path, at: number): Tree<C, K> {
  return replacePart(tree, path, (group): Tree<C, K> => {
    if (group.is !== 'group') return group;
    const [one, two] = group.parts.slice(at - 1, at + 1);
    if (!one || !two) return group;
    const joined: Tree<C, K> =
      one.is === 'group'
        ? { ...one, parts: [...one.parts, two] }
        : two.is === 'group'
          ? { ...two, parts: [one, ...two.parts] }
          : { is: 'group', match: group.match === 'all' ? 'any' : 'all', parts: [one, two] };
    const parts = group.parts.toSpliced(at - 1, 2, joined);
    return parts.length > 1 ? { ...group, parts } : joined;
  });
}

/** Puts the parts of a group inside another one in its place. */
export function spreadPart<C extends { is: 'clause' }, K>(tree: Tree<C, K>, path: Path): Tree<C, K> {
  return replacePart(tree, path.slice(0, -1), (around) => {
    const at = path.at(-1);
    if (around.is !== 'group' || at === undefined) return around;
    return {
      ...around,
      parts: around.parts.flatMap((part, i) => (i === at && part.is === 'group' ? part.parts : [part])),
    };
  });
}

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

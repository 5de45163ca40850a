/** Where in a text of JSON something is written: a member's name, or a value. */
export type Spot = {
  is: 'name' | 'value';
  /** The names of the members that lead to it; an empty one for an item of a list. */
  path: readonly string[];
  /** The names before it in its object. */
  names: readonly string[];
  /** Where what is being written begins. */
  from: number;
};

type Frame = { names: string[]; isList: boolean; hasValue: boolean };

/** Finds what is written at the end of the text before a cursor. Undefined where nothing can be: behind a value. */
export function spotIn(text: string): Spot | undefined {
  const tokens = [...text.matchAll(/"(?:[^"\\\n]|\\.)*"?|[{}[\]:,]|[^\s"{}[\]:,]+/g)];
  const last = tokens.at(-1);
  const isWriting = !!last && last.index + last[0].length === text.length && !/^[{}[\]:,]$|^".*"$/s.test(last[0]);
  const frames: Frame[] = [];
  for (const [token] of isWriting ? tokens.slice(0, -1) : tokens) {
    const top = frames.at(-1);
    if (token === '{' || token === '[') frames.push({ names: [], isList: token === '[', hasValue: token === '[' });
    else if (token === '}' || token === ']') frames.pop();
    else if (!top) return undefined;
    else if (token === ':') top.hasValue = true;
    else if (token === ',') top.hasValue = top.isList;
    else if (!top.hasValue) top.names.push(token.replaceAll('"', ''));
  }
  const top = frames.at(-1);
  const before = tokens.at(isWriting ? -2 : -1)?.[0] ?? '';
  if (!top || !/^[{[:,]$/.test(before)) return undefined;
  const path = frames.slice(0, -1).map(({ isList, names }) => (isList ? '' : names.at(-1)!));
  if (top.hasValue) path.push(top.isList ? '' : top.names.at(-1)!);
  return {
    is: top.hasValue ? 'value' : 'name',
    path,
    names: top.hasValue ? [] : top.names,
    from: isWriting ? last.index : text.length,
  };
}

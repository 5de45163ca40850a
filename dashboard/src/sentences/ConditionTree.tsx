import type { ReactNode } from 'react';
import { Icon } from '../ui/Icon';
import styles from './Sentences.module.css';
import { addPart, joinPart, type Path, replacePart, spreadPart, type Tree } from './tree';

type Clause = { is: 'clause' };

type Props<C extends Clause, K> = {
  /** What the condition is for, as screen readers say it. */
  label: string;
  tree: Tree<C, K>;
  /** Is given the condition as it is then; `typing` while more of the same is to come. */
  put: (tree: Tree<C, K>, typing?: boolean) => void;
  /** What a row begins with; undefined where there is nothing to compare. */
  begin: C | undefined;
  row: (clause: C, change: (clause: C, typing?: boolean) => void, remove: () => void) => ReactNode;
  words: (part: Tree<C, K>) => string;
  /** How deep groups are made; deeper ones that are there are shown. */
  depth?: number;
};

type PartProps<C extends Clause, K> = Required<Omit<Props<C, K>, 'label'>> & { part: Tree<C, K>; path: Path };

/** A condition as rows, and whether all or any of them must hold. */
export function ConditionTree<C extends Clause, K>({ label, depth = 2, ...props }: Props<C, K>) {
  return (
    <fieldset aria-label={label} className={styles.sentence}>
      <Part {...props} depth={depth} part={props.tree} path={[]} />
      <Adders {...props} depth={depth} path={[]} />
    </fieldset>
  );
}

function Part<C extends Clause, K>({ part, path, ...props }: PartProps<C, K>) {
  const { tree, put, row, words, begin, depth } = props;
  const replace = (to: Tree<C, K>, typing?: boolean) =>
    put(
      replacePart(tree, path, () => to),
      typing,
    );
  const remove = () => put(replacePart(tree, path, () => null));
  const again = begin && (() => replace(begin));
  switch (part.is) {
    case 'never':
      return path.length === 0 ? null : <Kept words="Never" remove={remove} again={again} />;
    case 'clause':
      return row(part as C, replace, remove);
    case 'expression':
      return <Kept words={words(part)} why="Kept as it is in JSON." remove={remove} again={again} />;
    case 'group':
      return (
        <div className={styles.group} data-nested={path.length > 0 || undefined}>
          {part.parts.map((inner, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of a condition have no name but their place
            <div key={i} className={styles.part}>
              {i > 0 && (
                <div className={styles.between}>
                  <Joint match={part.match} first={i === 1} change={(match) => replace({ ...part, match })} />
                  <Join
                    {...{ parts: part.parts, at: i, words, isDeep: path.length >= depth }}
                    join={() => put(joinPart(tree, path, i))}
                  />
                </div>
              )}
              <Part {...props} part={inner} path={[...path, i]} />
            </div>
          ))}
          {path.length > 0 && <Adders {...props} path={path} />}
        </div>
      );
  }
}

type JointProps = { match: 'all' | 'any'; first: boolean; change: (match: 'all' | 'any') => void };

/** What stands between the rows of a group: chosen once, said between the others. */
function Joint({ match, first, change }: JointProps) {
  if (!first) return <span className={styles.joint}>{match === 'all' ? 'and' : 'or'}</span>;
  return (
    <select
      aria-label="All or any of these"
      className={styles.joint}
      value={match}
      onChange={({ target }) => change(target.value as 'all' | 'any')}
    >
      <option value="all">and</option>
      <option value="any">or</option>
    </select>
  );
}

type JoinProps<C extends Clause, K> = {
  parts: readonly Tree<C, K>[];
  at: number;
  words: (part: Tree<C, K>) => string;
  isDeep: boolean;
  join: () => void;
};

/** Puts a row together with the one above; not where that changes nothing, or makes groups deeper than they may be. */
function Join<C extends Clause, K>({ parts, at, words, isDeep, join }: JoinProps<C, K>) {
  const pair = [parts[at - 1]!, parts[at]!];
  const groups = pair.filter(({ is }) => is === 'group').length;
  if (groups > 1 || (groups === 0 && (parts.length === 2 || isDeep))) return null;
  return (
    <button
      type="button"
      aria-label={`Group: ${pair.map(words).join('; ')}`}
      title="Group with the above"
      onClick={join}
    >
      Group
    </button>
  );
}

type AddersProps<C extends Clause, K> = Pick<PartProps<C, K>, 'tree' | 'path' | 'begin' | 'put' | 'depth'>;

/** Adds a row, or two that belong together, to a group. */
function Adders<C extends Clause, K>({ tree, path, begin, put, depth }: AddersProps<C, K>) {
  if (!begin) return null;
  const add = (part: Tree<C, K>) => put(addPart(tree, path, part));
  const inside = path.length > 0 ? ' in the group' : '';
  return (
    <div className={styles.adders}>
      <button type="button" aria-label={`Condition${inside}`} onClick={() => add(begin)}>
        <Icon name="plus" size={12} /> Condition
      </button>
      {path.length < depth && tree.is !== 'never' && (
        <button
          type="button"
          aria-label={`Group${inside}`}
          onClick={() => add({ is: 'group', match: 'any', parts: [begin, begin] })}
        >
          <Icon name="plus" size={12} /> Group
        </button>
      )}
      {path.length > 0 && (
        <button type="button" className={styles.ungroup} onClick={() => put(spreadPart(tree, path))}>
          Ungroup
        </button>
      )}
    </div>
  );
}

type KeptProps = { words: string; why?: string; remove: () => void; again: (() => void) | undefined };

/** A part that can't be put together here: its words. It is taken away, or written anew. */
function Kept({ words, why, remove, again }: KeptProps) {
  return (
    <div className={styles.kept}>
      <p>
        {words}
        {why && <small>{why}</small>}
      </p>
      <Remove said={words} remove={remove} />
      {again && (
        <div className={styles.adders}>
          <button type="button" aria-label={`Replace: ${words}`} onClick={again}>
            Replace
          </button>
        </div>
      )}
    </div>
  );
}

export function Remove({ said, remove }: { said: string; remove: () => void }) {
  return (
    <button type="button" className={styles.remove} aria-label={`Remove: ${said}`} title="Remove" onClick={remove}>
      <Icon name="close" size={12} />
    </button>
  );
}

import type { ReactNode } from 'react';
import { Icon } from '../ui/Icon';
import styles from './Sentences.module.css';
import { addPart, type Path, replacePart, type Tree } from './tree';

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
};

type PartProps<C extends Clause, K> = Omit<Props<C, K>, 'label'> & { part: Tree<C, K>; path: Path };

/** How deep groups are made; deeper ones that are there are shown. */
const depth = 2;

/** A condition as rows, and whether all or any of them must hold. */
export function ConditionTree<C extends Clause, K>({ label, ...props }: Props<C, K>) {
  return (
    <fieldset aria-label={label} className={styles.sentence}>
      <Part {...props} part={props.tree} path={[]} />
      <Adders {...props} path={[]} />
    </fieldset>
  );
}

function Part<C extends Clause, K>({ part, path, ...props }: PartProps<C, K>) {
  const { tree, put, row, words } = props;
  const replace = (to: Tree<C, K>, typing?: boolean) =>
    put(
      replacePart(tree, path, () => to),
      typing,
    );
  const remove = () => put(replacePart(tree, path, () => null));
  switch (part.is) {
    case 'never':
      return path.length === 0 ? null : <Kept words="Never" remove={remove} />;
    case 'clause':
      return row(part as C, replace, remove);
    case 'expression':
      return <Kept words={words(part)} why="Kept as it is in JSON." remove={remove} />;
    case 'group':
      return (
        <div className={styles.group} data-nested={path.length > 0 || undefined}>
          {part.parts.map((inner, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of a condition have no name but their place
            <div key={i} className={styles.part}>
              {i > 0 && <Joint match={part.match} first={i === 1} change={(match) => replace({ ...part, match })} />}
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

type AddersProps<C extends Clause, K> = Pick<PartProps<C, K>, 'tree' | 'path' | 'begin' | 'put'>;

/** Adds a row, or two that belong together, to a group. */
function Adders<C extends Clause, K>({ tree, path, begin, put }: AddersProps<C, K>) {
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
    </div>
  );
}

/** A part that can't be put together here: its words. It can only be taken away. */
export function Kept({ words, why, remove }: { words: string; why?: string; remove: () => void }) {
  return (
    <div className={styles.kept}>
      <p>
        {words}
        {why && <small>{why}</small>}
      </p>
      <Remove said={words} remove={remove} />
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

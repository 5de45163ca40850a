import { useMemo } from 'react';
import type { Json, JsonObject } from '../editor/document/operation';
import { Icon } from '../ui/Icon';
import { ClauseEditor, Kept } from './ClauseEditor';
import { fits, offered, type Subject } from './operators';
import styles from './Sentences.module.css';
import { addPart, clauseFor, type Path, replacePart, type Sentence, toExpression, toSentence } from './sentence';
import { subjectOf, words } from './words';

type Props = {
  /** What the condition is for, as screen readers say it. */
  label: string;
  expression: Json | undefined;
  subjects: readonly Subject[];
  /** Is given the condition as it is then; `typing` while more of the same is to come. */
  change: (expression: JsonObject, typing: boolean) => void;
  /** Is told that somebody went on to something else. */
  done: () => void;
};

/** How deep groups are made; deeper ones that are there are shown. */
const depth = 2;

/** A condition as rows: what, how, a value, and whether all or any of them must hold. */
export function SentenceEditor({ label, expression, subjects, change, done }: Props) {
  const sentence = useMemo(() => toSentence(expression), [expression]);
  const put = (to: Sentence, typing = false) => change(toExpression(to), typing);
  return (
    <fieldset aria-label={label} className={styles.sentence}>
      <Part {...{ sentence, subjects, done }} whole={sentence} path={[]} put={put} />
      <Adders {...{ subjects, put }} whole={sentence} path={[]} />
    </fieldset>
  );
}

type PartProps = {
  whole: Sentence;
  sentence: Sentence;
  path: Path;
  subjects: readonly Subject[];
  put: (whole: Sentence, typing?: boolean) => void;
  done: () => void;
};

function Part({ whole, sentence, path, subjects, put, done }: PartProps) {
  const replace = (part: Sentence, typing = false) =>
    put(
      replacePart(whole, path, () => part),
      typing,
    );
  const remove = () => put(replacePart(whole, path, () => null));
  switch (sentence.is) {
    case 'never':
      return path.length === 0 ? null : <Kept words="Never" remove={remove} />;
    case 'clause':
      return fits(subjectOf(subjects, sentence.subject), sentence.operator) ? (
        <ClauseEditor clause={sentence} subjects={subjects} change={replace} remove={remove} done={done} />
      ) : (
        <Kept words={words(sentence, subjects)} why="This can never hold." remove={remove} />
      );
    case 'expression':
      return <Kept words={words(sentence, subjects)} why="Kept as it is in JSON." remove={remove} />;
    case 'group':
      return (
        <div className={styles.group} data-nested={path.length > 0 || undefined}>
          {sentence.parts.map((part, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of a condition have no name but their place
            <div key={i} className={styles.part}>
              {i > 0 && (
                <Joint match={sentence.match} first={i === 1} change={(match) => replace({ ...sentence, match })} />
              )}
              <Part {...{ whole, subjects, put, done }} sentence={part} path={[...path, i]} />
            </div>
          ))}
          {path.length > 0 && <Adders {...{ whole, subjects, put, path }} />}
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

type AddersProps = Pick<PartProps, 'whole' | 'path' | 'subjects' | 'put'>;

/** Adds a row, or two that belong together, to a group. */
function Adders({ whole, path, subjects, put }: AddersProps) {
  const subject = subjects.find((one) => offered(one).length > 0);
  if (!subject) return null;
  const clause = clauseFor(subject);
  const add = (part: Sentence) => put(addPart(whole, path, part));
  const inside = path.length > 0 ? ' in the group' : '';
  const group: Sentence = { is: 'group', match: 'any', parts: [clause, clause] };
  return (
    <div className={styles.adders}>
      <button type="button" aria-label={`Condition${inside}`} onClick={() => add(clause)}>
        <Icon name="plus" size={12} /> Condition
      </button>
      {path.length < depth && whole.is !== 'never' && (
        <button type="button" aria-label={`Group${inside}`} onClick={() => add(group)}>
          <Icon name="plus" size={12} /> Group
        </button>
      )}
    </div>
  );
}

import { useState } from 'react';
import { Remove } from './ConditionTree';
import { fits, type Operator, offered, type Subject, wordsFor } from './operators';
import styles from './Sentences.module.css';
import { type Clause, clauseFor, valueFor } from './sentence';
import { ValueInput } from './ValueInput';
import { grouped, subjectName, subjectOf, words } from './words';

type Props = {
  clause: Clause;
  subjects: readonly Subject[];
  change: (clause: Clause, typing?: boolean) => void;
  remove: () => void;
  done: () => void;
};

/** One comparison: what is compared, how, and with what. */
export function ClauseEditor({ clause, subjects, change, remove, done }: Props) {
  const subject = subjectOf(subjects, clause.subject);
  const { operator, value } = clause;
  const said = words(clause, subjects);
  const [naming, setNaming] = useState(false);
  const operators = offered(subject, operator);
  // The ID of an option says nothing about what has none.
  const about = (to: Subject) =>
    change(clauseFor(to, keepOperator(to, operator), subject?.options && !to.options ? undefined : value));
  const choose = (id: string) => {
    const to = operators.find((one) => one.id === id)!;
    change({ ...clause, operator: to, value: valueFor(to, subject, value) });
  };
  return (
    <fieldset className={styles.clause} aria-label={said}>
      {naming ? (
        <AttributeName
          name={(key) => {
            setNaming(false);
            if (key === '') return;
            about(subjectOf(subjects, attribute(key).variable) ?? attribute(key));
          }}
        />
      ) : (
        <select
          aria-label="What"
          className={styles.what}
          value={subject ? subjects.indexOf(subject) : ''}
          onChange={({ target }) => {
            if (target.value === another) return setNaming(true);
            about(subjects[Number(target.value)]!);
          }}
        >
          {!subject && <option value="">{subjectName(subjects, clause.subject)} (not there any more)</option>}
          {groupsOf(subjects, subject).map(([group, members]) => (
            <optgroup key={group} label={group}>
              {members.map((one) => (
                <option key={subjects.indexOf(one)} value={subjects.indexOf(one)}>
                  {one.name}
                </option>
              ))}
            </optgroup>
          ))}
          <option value={another}>Another attribute…</option>
        </select>
      )}
      <Remove said={said} remove={remove} />
      <span className={styles.compared}>
        <select
          aria-label="How"
          className={styles.how}
          value={operator.id}
          onChange={({ target }) => choose(target.value)}
        >
          {subject?.answer === 'attribute' ? (
            Object.entries(byTakes).map(([takes, label]) => (
              <optgroup key={takes} label={label}>
                <Operators list={operators.filter((one) => one.takes === takes)} clause={clause} />
              </optgroup>
            ))
          ) : (
            <Operators list={operators} clause={clause} />
          )}
        </select>
        <ValueInput
          operator={operator}
          value={value}
          subject={subject}
          change={(value, typing) => change({ ...clause, value }, typing)}
          done={done}
        />
      </span>
      {!fits(subject, operator) && <small className={styles.never}>This can never hold.</small>}
    </fieldset>
  );
}

const another = 'another';

/** An attribute that the flow does not know yet. */
const attribute = (key: string): Subject => {
  return { variable: { kind: 'sdk', key }, name: key, group: '', answer: 'attribute' };
};

/** Asks which attribute the app sends; nothing, when it is left empty. */
function AttributeName({ name }: { name: (key: string) => void }) {
  const [typed, setTyped] = useState('');
  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: it stands where its option was chosen
      autoFocus
      aria-label="Name of the attribute"
      placeholder="Its name in the app"
      className={styles.what}
      maxLength={128}
      spellCheck={false}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={() => name(typed.trim())}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key === 'Escape') name('');
      }}
    />
  );
}

const byTakes = { text: 'Text', number: 'Number', yes: 'Yes or no', option: 'Text, exactly', options: 'Texts' };

function Operators({ list, clause }: { list: readonly Operator[]; clause: Clause }) {
  return list.map((one) => (
    <option key={one.id} value={one.id}>
      {wordsFor(one, clause.subject)}
    </option>
  ));
}

/** Another subject keeps how it is compared, where that makes sense of it. */
function keepOperator(to: Subject, operator: Operator): Operator | undefined {
  return offered(to).find(({ id }) => id === operator.id);
}

/** Subjects by what they are listed under; those that nothing can be asked of are left out, unless one is in use. */
function groupsOf(subjects: readonly Subject[], used: Subject | undefined): [string, Subject[]][] {
  return grouped(subjects.filter((one) => one === used || offered(one).length > 0));
}

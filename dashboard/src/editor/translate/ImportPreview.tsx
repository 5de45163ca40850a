import type { ReactNode } from 'react';
import { languageName } from '../locales';
import { Tick } from '../Tick';
import { Conflicts } from './Conflicts';
import { clip, placeOf } from './place';
import { type Choices, longest, type Plan } from './plan';
import styles from './Translate.module.css';

/** How many rows are drawn; of what is left out, how many are named. */
const mostDrawn = 200;
const mostNamed = 20;

type Props = {
  plan: Plan;
  choices: Choices;
  choose: (choices: Choices) => void;
  defaultLocale: string;
};

/** What a file would change, what of it is left out, and why. */
export function ImportPreview({ plan, choices, choose, defaultLocale }: Props) {
  const { changes, conflicts, notes, states, same, languages, columns, unknown, tooLong, placeholders, by } = plan;
  const counts = new Map<string, { fresh: number; other: number }>();
  for (const { locale, from } of changes) {
    const count = counts.get(locale) ?? { fresh: 0, other: 0 };
    count[from === '' ? 'fresh' : 'other']++;
    counts.set(locale, count);
  }
  const toggle = (locale: string) => {
    const add = new Set(choices.add);
    if (!add.delete(locale)) add.add(locale);
    choose({ ...choices, add });
  };
  const source = languageName(defaultLocale);
  const part = by === 'Line' ? 'unit' : 'row';
  return (
    <>
      <ul className={styles.counts} aria-label="What changes">
        {[...counts].map(([locale, { fresh, other }]) => (
          <li key={locale}>
            <b>{languageName(locale)}</b>:{' '}
            {[fresh && `${fresh} new`, other && `${other} changed`].filter(Boolean).join(', ')}
          </li>
        ))}
        {notes.length > 0 && <li>{notes.length === 1 ? '1 note' : `${notes.length} notes`} for translators</li>}
        {states.length > 0 && <li>{states.length === 1 ? '1 state' : `${states.length} states`} of translations</li>}
        {counts.size + notes.length + states.length === 0 && <li>Nothing changes.</li>}
        {same > 0 && <li>{same} as they are</li>}
      </ul>
      {languages.map((locale) => (
        <Tick
          key={locale}
          label={`Add ${languageName(locale)}: the flow does not have this language`}
          checked={choices.add.has(locale)}
          change={() => toggle(locale)}
        />
      ))}
      {conflicts.length > 0 && (
        <Conflicts plan={plan} choices={choices} choose={choose} defaultLocale={defaultLocale} />
      )}
      {placeholders.length > 0 && (
        <Left
          title={`${placeholders.length === 1 ? '1 translation has' : `${placeholders.length} translations have`} other placeholders than ${source}`}
          names={placeholders.map(
            ({ change, says }) => `${placeOf(change.text)}, ${languageName(change.locale)}: ${says}`,
          )}
        />
      )}
      {unknown.length > 0 && (
        <Left
          title={
            unknown.length === 1
              ? `1 ${part} names no text of the flow`
              : `${unknown.length} ${part}s name no text of the flow`
          }
          names={unknown.map(({ row, said }) => `${by} ${row}: ${clip(said) || 'no key'}`)}
        />
      )}
      {tooLong.length > 0 && (
        <Left
          title={`${tooLong.length === 1 ? '1 text is' : `${tooLong.length} texts are`} longer than ${longest.toLocaleString()} characters`}
          names={tooLong.map(
            ({ row, text, locale, length }) =>
              `${by} ${row}, ${placeOf(text)}, ${languageName(locale)}: ${length.toLocaleString()}`,
          )}
        />
      )}
      {columns.length > 0 && (
        <Left
          title={columns.length === 1 ? '1 column is no language' : `${columns.length} columns are no language`}
          names={columns.map(clip)}
        />
      )}
      {changes.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it
        <section className={styles.rows} tabIndex={0} aria-label="Changes">
          <table className={styles.changes}>
            <thead>
              <tr>
                <th scope="col">Text</th>
                <th scope="col">Language</th>
                <th scope="col">Now</th>
                <th scope="col">Then</th>
              </tr>
            </thead>
            <tbody>
              {changes.slice(0, mostDrawn).map(({ text, locale, from, to }) => (
                <tr key={`${locale} ${text.key}`}>
                  <th scope="row">{placeOf(text)}</th>
                  <td>{languageName(locale)}</td>
                  <td dir="auto" lang={locale}>
                    {from}
                  </td>
                  <td dir="auto" lang={locale}>
                    {to}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {changes.length > mostDrawn && <p>and {(changes.length - mostDrawn).toLocaleString()} more</p>}
        </section>
      )}
    </>
  );
}

/** What is left out, or should be looked at, by name. */
function Left({ title, names, children }: { title: string; names: readonly string[]; children?: ReactNode }) {
  return (
    <details className={styles.left} open={names.length <= 3}>
      <summary>{title}</summary>
      <ul aria-label={title}>
        {names.slice(0, mostNamed).map((name, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two rows may say the same
          <li key={at}>{name}</li>
        ))}
        {names.length > mostNamed && <li>and {(names.length - mostNamed).toLocaleString()} more</li>}
      </ul>
      {children}
    </details>
  );
}

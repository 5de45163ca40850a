import { Button } from '@mantine/core';
import form from '../../ui/Form.module.css';
import { SegmentedControl } from '../../ui/SegmentedControl';
import { languageName } from '../locales';
import { clip, placeOf } from './place';
import type { Choices, Conflict, Plan } from './plan';
import styles from './Translate.module.css';

/** How many are drawn; the others are chosen together. */
const mostDrawn = 100;

type Props = {
  plan: Plan;
  choices: Choices;
  choose: (choices: Choices) => void;
  defaultLocale: string;
};

/** Translations that changed in the flow and in the file, both beside each other: one of them is chosen. */
export function Conflicts({ plan: { conflicts, by }, choices, choose, defaultLocale }: Props) {
  const { take } = choices;
  const title = conflicts.length === 1 ? '1 conflict' : `${conflicts.length.toLocaleString()} conflicts`;
  const set = (name: string, file: boolean) => {
    const next = new Set(take);
    if (file) next.add(name);
    else next.delete(name);
    choose({ ...choices, take: next });
  };
  const all = (file: boolean) => choose({ ...choices, take: new Set(file ? conflicts.map(({ name }) => name) : []) });
  return (
    <section className={styles.left} aria-label="Conflicts">
      <div className={form.acts} data-at="apart">
        <b>{title}: the flow changed since the file was made</b>
        {conflicts.length > 1 && (
          <div className={form.acts}>
            <Button size="compact-xs" variant="default" onClick={() => all(false)}>
              Keep all of the flow
            </Button>
            <Button size="compact-xs" variant="default" onClick={() => all(true)}>
              Take all of the file
            </Button>
          </div>
        )}
      </div>
      <ul className={styles.conflicts}>
        {conflicts.slice(0, mostDrawn).map((one) => (
          <li key={one.name}>
            <div>
              <b>{placeOf(one.text)}</b>, {languageName(one.locale)}
              <small>{reason(one, by, languageName(defaultLocale))}</small>
            </div>
            <dl lang={one.locale} dir="auto">
              <dt lang="en">Flow</dt>
              <dd>{one.from || '–'}</dd>
              <dt lang="en">File</dt>
              <dd>{one.to}</dd>
            </dl>
            <SegmentedControl
              size="xs"
              aria-label={`${placeOf(one.text)}, ${languageName(one.locale)}`}
              data={[
                { value: 'flow', label: 'Keep flow' },
                { value: 'file', label: 'Take file' },
              ]}
              value={take.has(one.name) ? 'file' : 'flow'}
              onChange={(value) => set(one.name, value === 'file')}
            />
          </li>
        ))}
        {conflicts.length > mostDrawn && <li>and {(conflicts.length - mostDrawn).toLocaleString()} more</li>}
      </ul>
    </section>
  );
}

const reason = ({ row, said, text }: Conflict, by: Plan['by'], source: string) =>
  said === undefined
    ? `${by} ${row}: the translation changed in the flow and in the file`
    : `${by} ${row}: ${source} was “${clip(said)}” and is “${clip(text.source)}” by now`;

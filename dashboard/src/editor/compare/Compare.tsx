import { useMemo, useState } from 'react';
import { SegmentedControl } from '../../ui/SegmentedControl';
import styles from './Compare.module.css';
import { compareFlows } from './changes';
import { JsonChanges } from './JsonChanges';
import { RepaintedScreens } from './RepaintedScreens';
import { repaintedBy } from './repainted';
import { StepSection } from './StepSection';

type View = 'words' | 'screens' | 'json';

/** How many screens and other steps are shown before more are asked for: each has two pictures. */
const atFirst = 24;

type Props = {
  before: unknown;
  after: unknown;
  /** What the two are called: "v3", "Draft". */
  names: readonly [before: string, after: string];
  /** What is shown at first. */
  view?: View;
};

/** What is different between two manifests: in words by screens and layers, with the screens before and after as pictures,
 * or value by value. */
export function Compare({ before, after, names, view: first = 'screens' }: Props) {
  const [chosen, choose] = useState(first);
  const [all, setAll] = useState(false);
  const steps = useMemo(() => compareFlows(before, after), [before, after]);
  const repainted = useMemo(() => (steps ? repaintedBy(before, after, steps) : []), [before, after, steps]);
  if (steps?.length === 0) return <p className={styles.none}>No differences.</p>;
  const view = steps ? chosen : 'json';
  return (
    <div className={styles.compare}>
      <div className={styles.top}>
        <p className={styles.none}>
          {steps ? summary(steps) : 'This draft has parts that the editor repairs first, so it is compared as JSON.'}
        </p>
        {steps && (
          <SegmentedControl
            size="xs"
            aria-label="Show changes as"
            value={chosen}
            onChange={(value) => choose(value as View)}
            data={[
              { value: 'words', label: 'Words' },
              { value: 'screens', label: 'Screens' },
              { value: 'json', label: 'JSON' },
            ]}
          />
        )}
      </div>
      {view === 'json' ? (
        <JsonChanges before={before} after={after} />
      ) : (
        <ul className={styles.steps} aria-label="Changes">
          {steps!.slice(0, all ? undefined : atFirst).map((one) => (
            <StepSection
              key={one.step}
              changes={one}
              {...(view === 'screens' && { pictures: { before, after, names } })}
            />
          ))}
        </ul>
      )}
      {view === 'screens' && repainted.length > 0 && (
        <RepaintedScreens screens={repainted} pictures={{ before, after, names }} />
      )}
      {view !== 'json' && !all && steps!.length > atFirst && (
        <button type="button" className={styles.more} onClick={() => setAll(true)}>
          Show {steps!.length - atFirst} more
        </button>
      )}
    </div>
  );
}

type Steps = NonNullable<ReturnType<typeof compareFlows>>;

function summary(steps: Steps): string {
  const changes = steps.reduce((sum, one) => sum + one.changes.length, 0);
  const screens = steps.filter(({ kind }) => kind === 'screen').length;
  const on = screens > 0 ? ` on ${screens} ${screens === 1 ? 'screen' : 'screens'}` : '';
  return `${changes} ${changes === 1 ? 'change' : 'changes'}${screens === steps.length || screens === 0 ? on : `${on} and in the flow`}`;
}

import { useMemo, useState } from 'react';
import { SegmentedControl } from '../../ui/SegmentedControl';
import { subjectsOf } from '../subjects';
import { useEditing, useNode } from '../useEditor';
import { Answers } from './Answers';
import { Events } from './Events';
import { Path } from './Path';
import styles from './Preview.module.css';
import type { Told } from './port';

const views = [
  { value: 'path', label: 'Path' },
  { value: 'answers', label: 'Answers' },
  { value: 'events', label: 'Events' },
] as const;

/** What happens in a run: where it went and why, what was answered, and what an app would send. */
export function Happenings({ told }: { told: Told }) {
  const { editor } = useEditing();
  const flow = useNode('flow');
  // biome-ignore lint/correctness/useExhaustiveDependencies: another flow has other questions
  const subjects = useMemo(() => subjectsOf(editor.document), [editor, flow]);
  const [view, setView] = useState<(typeof views)[number]['value']>('path');
  return (
    <section className={styles.happenings} aria-label="What happens in the run">
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label="What is shown of the run"
        value={view}
        onChange={(value) => setView(value as typeof view)}
        data={[...views]}
      />
      <section
        className={styles.log}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys
        tabIndex={0}
        aria-label={views.find(({ value }) => value === view)!.label}
      >
        {view === 'path' && <Path told={told} subjects={subjects} />}
        {view === 'answers' && <Answers told={told} subjects={subjects} />}
        {view === 'events' && <Events told={told} />}
      </section>
    </section>
  );
}

import { Button, Popover } from '@mantine/core';
import { useState } from 'react';
import { nodeOf } from '../document/document';
import { nameOf } from '../names';
import { useEditing } from '../useEditor';
import { countOf, isError } from './Mark';
import styles from './Problems.module.css';
import { placeOf } from './place';
import type { DraftProblem } from './queries';
import { Sentence } from './Sentence';
import { grouped, keyOf, platforms } from './told';
import { useProblems } from './useProblems';

type Mode = 'design' | 'graph' | 'translate' | 'data';
type Props = {
  mode: Mode;
  setMode: (mode: Mode) => void;
  setLocale: (locale: string) => void;
  setDevice: (id: string) => void;
};

/** The number of problems, and behind it the list by screen: each in a sentence that leads to its layer. */
export function Problems({ mode, setMode, setLocale, setDevice }: Props) {
  const { editor, reveal } = useEditing();
  const { list, state } = useProblems();
  const [opened, open] = useState(false);
  const words = countOf(list) ?? (state === 'known' ? 'none' : state === 'looking' ? 'looking' : 'not known');
  const go = (problem: DraftProblem) => {
    const { seen } = problem;
    const { mode: shown = mode, select } = placeOf(editor.document, problem);
    const shows = seen?.mode ?? shown;
    open(false);
    if (seen) setLocale(seen.locale);
    if (seen?.device) setDevice(seen.device);
    editor.select(select);
    if (shows !== mode) setMode(shows);
    if (select.screen) reveal(select.screen);
  };
  const nameOfStep = (id: string) => {
    const node = nodeOf(editor.document, id);
    return node ? nameOf(node.object, node.kind, node.slot) : 'The flow';
  };
  return (
    <Popover opened={opened} onChange={open} position="bottom-end" width={400} trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="subtle"
          color="gray"
          className={styles.open}
          aria-label={`Problems: ${words}`}
          title={`Problems: ${words}`}
          onClick={() => open(!opened)}
        >
          <span className={styles.word}>Problems</span>
          {list.length > 0 && (
            <span className={styles.count} data-error={list.some(isError) || undefined}>
              {list.length}
            </span>
          )}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={styles.panel}>
        {state === 'failed' ? (
          <p>The problems could not be read. They are asked for again after the next edit.</p>
        ) : list.length === 0 ? (
          <p>{state === 'looking' ? 'Looking for problems…' : 'Nothing keeps this flow from being published.'}</p>
        ) : (
          grouped(list).map(([key, group]) => {
            const heading = key === platforms ? 'Differences between platforms' : nameOfStep(key);
            return (
              <section key={key} className={styles.group}>
                <h3>{heading}</h3>
                <ul className={styles.list} aria-label={`Problems of ${heading}`}>
                  {group.map((one) => (
                    <Sentence key={keyOf(one)} problem={one} go={() => go(one)} />
                  ))}
                </ul>
              </section>
            );
          })
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

/** The problems of what is selected, in its properties. */
export function ProblemsHere({ id }: { id: string }) {
  const here = useProblems().list.filter(({ stepId, layerId }) => (layerId || stepId || 'flow') === id);
  if (here.length === 0) return null;
  return (
    <ul className={styles.list} data-here aria-label="Problems here">
      {here.map((one) => (
        <Sentence key={keyOf(one)} problem={one} />
      ))}
    </ul>
  );
}

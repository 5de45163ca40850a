import { Button, Select } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { connect, disconnect } from '../document/commands/connect';
import { startWith } from '../document/commands/placeSteps';
import { nodeOf } from '../document/document';
import { end, exitName, exitsOf, stepsOf } from '../document/exits';
import type { NodeId } from '../document/operation';
import { nameOf } from '../names';
import { useEditing } from '../useEditor';
import styles from './Graph.module.css';
import type { GraphNode } from './model';

const nowhere = 'nowhere';
const none = { value: nowhere, label: 'Default' };

type Props = {
  step: NodeId;
  drawn: GraphNode;
  /** Moves the graph so that a panel does not cover a step and where it leads. */
  clear: (panel: DOMRect, step: NodeId, targets: readonly NodeId[]) => void;
};

const isNarrow = () => matchMedia('(max-width: 640px)').matches;

/** Where each way out of a step leads, to be chosen: what is drawn by dragging, for the keyboard. */
export function Ways({ step, drawn, clear }: Props) {
  const { editor, say } = useEditing();
  const panel = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it covers later, it was moved over
  useEffect(() => {
    const look = () => {
      const targets = drawn.rows.flatMap(({ to }) => (to === undefined ? [] : [to]));
      if (panel.current && !isNarrow()) clear(panel.current.getBoundingClientRect(), step, targets);
    };
    // A step that is pressed may be about to be dragged: it does not move away below the pointer.
    const pressed = panel.current?.closest('section[aria-label="Graph"]')?.matches(':active');
    if (!pressed) return look();
    addEventListener('pointerup', look, { once: true });
    return () => removeEventListener('pointerup', look);
  }, []);
  const { document } = editor;
  const node = nodeOf(document, step);
  if (!node) return null;
  const labels = new Map(drawn.rows.map((row) => [row.exit, row.label]));
  const others = stepsOf(document).filter(({ id }) => id !== step);
  const targets = [
    ...others.map(({ id, kind, object }) => ({ value: id, label: nameOf(object, kind) })),
    { value: end, label: 'End of the flow' },
  ];
  return (
    <section ref={panel} className={styles.ways} aria-label={`Connections from ${drawn.name}`}>
      {/* On a phone it would cover the graph. */}
      <details open={!isNarrow()}>
        <summary>Connections from {drawn.name}</summary>
        {exitsOf(node).map((exit) => (
          <Select
            key={exit.id}
            size="xs"
            label={labels.get(exit.id) ?? exitName(document, exit)}
            placeholder={
              others.some(({ id }) => id === exit.to) || exit.to === undefined ? 'Default' : 'A removed step'
            }
            data={disconnect.when(editor, { exit: exit.id }) === true ? [...targets, none] : targets}
            value={exit.to ?? null}
            searchable
            allowDeselect={false}
            onChange={(to) =>
              say(
                to === nowhere || to === null
                  ? editor.run(disconnect, { exit: exit.id })
                  : editor.run(connect, { exit: exit.id, to }),
              )
            }
            comboboxProps={{ withinPortal: true }}
          />
        ))}
        {!drawn.isEntry && (
          <Button variant="default" size="xs" onClick={() => say(editor.run(startWith, { step }))}>
            Start the flow here
          </Button>
        )}
      </details>
    </section>
  );
}

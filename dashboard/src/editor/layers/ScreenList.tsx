import { ActionIcon } from '@mantine/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Icon } from '../../ui/Icon';
import { useStable } from '../../ui/useStable';
import type { Look } from '../canvas/Canvas';
import { addScreen, duplicateScreen, makeFirst, moveScreen } from '../document/commands/screens';
import type { NodeId } from '../document/operation';
import { nameOf } from '../names';
import { RemoveSteps } from '../RemoveSteps';
import { screensIn } from '../screens';
import { useEditing, useNode, useSelection } from '../useEditor';
import styles from './Layers.module.css';
import { type ScreenActs, ScreenRow } from './ScreenRow';
import { Thumbnails } from './Thumbnails';
import { useScreenDrag } from './useScreenDrag';

/** The screens of the flow, the one that runs start with first, and what is done with them. */
export function ScreenList({ look, fold }: { look: Look; fold: () => void }) {
  const { editor, canEdit, naming, name, say, reveal } = useEditing();
  const flow = useNode('flow')!;
  const { screen: selected } = useSelection();
  const screens = useMemo(() => screensIn(flow), [flow]);
  const ids = screens.map(({ id }) => String(id));
  const [removing, setRemoving] = useState<NodeId>();
  const list = useRef<HTMLOListElement>(null);
  // An object: the same screen may get the focus again.
  const [toFocus, setToFocus] = useState<{ screen: NodeId }>();

  // What was moved, made or named keeps the focus in the list, once its row is drawn.
  useEffect(() => {
    if (toFocus) list.current?.querySelector<HTMLElement>(`[data-screen="${CSS.escape(toFocus.screen)}"]`)?.focus();
  }, [toFocus]);
  // The graph, the canvas and the palette select screens too.
  useEffect(() => {
    list.current?.querySelector(`[data-screen="${CSS.escape(selected ?? '')}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  /** Tells why it was not done; else shows the screen that is selected now. */
  const done = (outcome: true | string, focus = true): boolean => {
    say(outcome);
    const { screen } = editor.selection;
    if (outcome !== true || screen === null) return false;
    if (focus) setToFocus({ screen });
    reveal(screen);
    return true;
  };
  const move = (screen: NodeId, after: NodeId | null) => done(editor.run(moveScreen, { screen, after }));
  const add = (after?: NodeId) => {
    if (done(editor.run(addScreen, { after }), false)) name(editor.selection.screen!);
  };
  const acts = useStable({
    add,
    rename: name,
    duplicate: (screen) => done(editor.run(duplicateScreen, { screen })),
    makeFirst: (screen) => done(editor.run(makeFirst, { screen })),
    remove: setRemoving,
    step: (screen, by) => {
      const at = ids.indexOf(screen) + by;
      if (at < 0 || at >= ids.length) return say(by < 0 ? 'It is the first already' : 'It is the last already');
      move(screen, by > 0 ? ids[at]! : (ids[at - 1] ?? null));
    },
    closeName: (screen) => {
      setToFocus({ screen });
      name(undefined);
    },
    go: (to) => list.current?.querySelectorAll<HTMLElement>('[data-screen]')[to]?.focus(),
  } satisfies ScreenActs);
  const { drop, dragging } = useScreenDrag(ids, list, move);
  return (
    <section className={styles.panel}>
      <header className={styles.head}>
        <h2>Screens</h2>
        <ActionIcon
          variant="subtle"
          color="gray"
          className={styles.fold}
          aria-label="Hide screens and layers"
          aria-expanded
          title="Hide screens and layers (⌘\\)"
          onClick={fold}
        >
          <Icon name="left" size={14} />
        </ActionIcon>
        {canEdit && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label="Add a screen"
            title="Add a screen"
            onClick={() => add(selected ?? undefined)}
          >
            <Icon name="plus" size={14} />
          </ActionIcon>
        )}
      </header>
      <div className={styles.pictured}>
        <ol ref={list} className={styles.screens}>
          {screens.map((object, at) => (
            <ScreenRow
              key={ids[at]}
              id={ids[at]!}
              at={at}
              last={at === screens.length - 1}
              words={nameOf(object, 'screen')}
              isFirst={object.id === flow.entryScreenId}
              isNamed={naming === ids[at]}
              acts={acts}
              dragging={canEdit ? dragging : undefined}
              line={drop === at ? 'above' : drop === at + 1 && at === screens.length - 1 ? 'below' : undefined}
            />
          ))}
        </ol>
        <Thumbnails list={list} ids={ids} look={look} />
      </div>
      {screens.length === 0 && <p className={styles.none}>The flow has no screen yet.</p>}
      {removing !== undefined && <RemoveSteps steps={[removing]} close={() => setRemoving(undefined)} />}
    </section>
  );
}

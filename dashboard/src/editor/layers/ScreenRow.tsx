import { ActionIcon, Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, memo, useState } from 'react';
import { Icon } from '../../ui/Icon';
import type { NodeId } from '../document/operation';
import { countOf, Mark } from '../problems/Mark';
import { useProblemsOf } from '../problems/useProblems';
import { useEditing, useSelection } from '../useEditor';
import styles from './Layers.module.css';
import { NameInput } from './NameInput';
import type { useScreenDrag } from './useScreenDrag';

/** What is done with a screen in the list. */
export type ScreenActs = {
  add: (after: NodeId) => void;
  rename: (screen: NodeId) => void;
  duplicate: (screen: NodeId) => void;
  makeFirst: (screen: NodeId) => void;
  remove: (screen: NodeId) => void;
  /** Moves it by a place: −1 is up. */
  step: (screen: NodeId, by: -1 | 1) => void;
  /** Ends the writing of its name. */
  closeName: (screen: NodeId) => void;
  /** Gives the focus to the row at an index. */
  go: (to: number) => void;
};

type Props = {
  id: NodeId;
  at: number;
  last: boolean;
  words: string;
  /** Whether runs start with it. */
  isFirst: boolean;
  isNamed: boolean;
  acts: ScreenActs;
  dragging: ReturnType<typeof useScreenDrag>['dragging'] | undefined;
  /** Where what is dragged would go. */
  line: 'above' | 'below' | undefined;
};

/** A screen of the list: a link to it, its name while that is written, and a menu. Many stand in it, and most edits
 * change none of them. */
export const ScreenRow = memo(function ScreenRow({
  id,
  at,
  last,
  words,
  isFirst,
  isNamed,
  acts,
  dragging,
  line,
}: Props) {
  const { canEdit, reveal } = useEditing();
  const { screen } = useSelection();
  const problems = useProblemsOf(id);
  const [open, setOpen] = useState(false);
  if (isNamed)
    return (
      <li className={styles.screen}>
        <span className={styles.row} aria-current={screen === id || undefined}>
          <span className={styles.picture} data-picture={id} />
          <NameInput node={id} close={() => acts.closeName(id)} />
        </span>
      </li>
    );
  return (
    <li
      className={styles.screen}
      data-line={line}
      onContextMenu={(event) => {
        if (!canEdit) return;
        event.preventDefault();
        setOpen(true);
      }}
    >
      <Link
        from="/apps/$app/$environment/flows/$flow/edit"
        to="."
        replace
        search={(before) => ({ ...before, screen: id, layer: undefined })}
        className={styles.row}
        data-screen={id}
        draggable={false}
        aria-current={screen === id || undefined}
        aria-description={countOf(problems)}
        aria-keyshortcuts={canEdit ? 'F2 Alt+ArrowUp Alt+ArrowDown Delete' : undefined}
        onPointerDown={dragging && ((event) => dragging.press(event, id))}
        onPointerMove={dragging?.move}
        onPointerUp={dragging?.release}
        onPointerCancel={dragging?.cancel}
        onClick={(event) => (dragging?.wasDrag() ? event.preventDefault() : reveal(id))}
        onDoubleClick={() => canEdit && acts.rename(id)}
        onKeyDown={(event) => press(event, id, at, canEdit, acts)}
      >
        <span className={styles.picture} data-picture={id} />
        <span className={styles.label}>{words}</span>
        <Mark problems={problems} />
        {isFirst && <small>First</small>}
      </Link>
      {canEdit && (
        <Menu opened={open} onChange={setOpen} position="bottom-end" width={220}>
          <Menu.Target>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              className={styles.more}
              aria-label={`More for ${words}`}
              title="More"
            >
              <Icon name="more" size={14} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item rightSection={<kbd>F2</kbd>} onClick={() => acts.rename(id)}>
              Rename
            </Menu.Item>
            <Menu.Item rightSection={<kbd>⌘D</kbd>} onClick={() => acts.duplicate(id)}>
              Duplicate
            </Menu.Item>
            <Menu.Item onClick={() => acts.add(id)}>Add a screen below</Menu.Item>
            <Menu.Divider />
            <Menu.Item disabled={isFirst} onClick={() => acts.makeFirst(id)}>
              Make it first
            </Menu.Item>
            <Menu.Item rightSection={<kbd>⌥↑</kbd>} disabled={at === 0} onClick={() => acts.step(id, -1)}>
              Move up
            </Menu.Item>
            <Menu.Item rightSection={<kbd>⌥↓</kbd>} disabled={last} onClick={() => acts.step(id, 1)}>
              Move down
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item c="var(--bad)" rightSection={<kbd>⌫</kbd>} onClick={() => acts.remove(id)}>
              Delete…
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
    </li>
  );
});

function press(event: KeyboardEvent, id: NodeId, at: number, canEdit: boolean, acts: ScreenActs) {
  const keys = `${event.altKey ? 'alt+' : ''}${event.metaKey || event.ctrlKey ? 'mod+' : ''}${event.key}`;
  const looking: Record<string, (() => void) | undefined> = {
    ArrowUp: () => acts.go(at - 1),
    ArrowDown: () => acts.go(at + 1),
  };
  const editing: Record<string, (() => void) | undefined> = {
    F2: () => acts.rename(id),
    r: () => acts.rename(id),
    Delete: () => acts.remove(id),
    Backspace: () => acts.remove(id),
    'mod+d': () => acts.duplicate(id),
    'alt+ArrowUp': () => acts.step(id, -1),
    'alt+ArrowDown': () => acts.step(id, 1),
  };
  const act = looking[keys] ?? (canEdit ? editing[keys] : undefined);
  if (event.key === 'Enter' && !act) return event.stopPropagation(); // the link is followed, and no more
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}

import { type KeyboardEvent, memo, type PointerEvent, type RefObject } from 'react';
import { Icon } from '../../ui/Icon';
import { markOf } from '../document/components/marks';
import type { JsonObject, NodeId } from '../document/operation';
import { KindIcon } from '../KindIcon';
import { kindName, nameOf } from '../names';
import type { Person } from '../others';
import { countOf, Mark } from '../problems/Mark';
import type { DraftProblem } from '../problems/queries';
import { useEditing } from '../useEditor';
import styles from './Layers.module.css';
import { LayerToggle } from './LayerToggle';
import { NameInput } from './NameInput';
import { indent } from './useRowDrag';

/** What a row does to the tree that it stands in. */
export type TreeActs = {
  toggle: (id: NodeId, open: boolean) => void;
  select: (id: NodeId, adds: boolean) => void;
  /** Selects it where it is not, and opens the menu. */
  menu: (id: NodeId, at: { x: number; y: number }) => void;
  key: (event: KeyboardEvent, id: NodeId) => void;
  /** Gives the focus back to the row whose name was written. */
  focus: (id: NodeId) => void;
  press: (event: PointerEvent, id: NodeId) => void;
  move: (event: PointerEvent<HTMLElement>) => void;
  release: (event: PointerEvent) => void;
  cancel: () => void;
};

type Props = {
  id: NodeId;
  object: JsonObject;
  kind: string;
  slot: string;
  level: number;
  hasChildren: boolean;
  open: boolean;
  isSelected: boolean;
  /** Whether Tab comes to it. */
  isNext: boolean;
  /** Whether what is dragged would go into it. */
  into: boolean;
  /** Whether its name is written. */
  isNamed: boolean;
  hidden: boolean;
  locked: boolean;
  /** The name of the component of which it is an instance. */
  component: string | undefined;
  problems: readonly DraftProblem[];
  others: readonly Person[];
  acts: RefObject<TreeActs>;
};

/** A layer in the tree. An edit changes one and those around it: the others are not drawn again. */
export const LayerRow = memo(function LayerRow({
  id,
  object,
  kind,
  slot,
  level,
  hasChildren,
  open,
  isSelected,
  isNext,
  into,
  isNamed,
  hidden,
  locked,
  component,
  problems,
  others,
  acts,
}: Props) {
  const { canEdit, name: nameIt } = useEditing();
  const mark = markOf(object);
  const name = nameOf(object, kind, slot);
  const by = others.map((person) => person.name).join(', ');
  const seen = `${hidden ? ', hidden in the editor' : ''}${locked ? ', locked' : ''}`;
  const icon = kind === 'stack' && object.direction === 'horizontal' ? 'row' : kind;
  return (
    <div
      role="treeitem"
      data-row={id}
      aria-level={level}
      aria-selected={isSelected}
      aria-expanded={hasChildren ? open : undefined}
      aria-label={`${name}, ${kindName(kind)}${component ? `, instance of ${component}` : ''}${seen}${by && `, selected by ${by}`}`}
      aria-description={countOf(problems)}
      tabIndex={isNext ? 0 : -1}
      className={styles.row}
      style={{ paddingInlineStart: 4 + level * indent }}
      data-component={(component && 'instance') || (mark && 'inside') || undefined}
      data-hidden={hidden || undefined}
      data-into={into || undefined}
      onPointerDown={canEdit && !locked ? (event) => acts.current.press(event, id) : undefined}
      onPointerMove={(event) => acts.current.move(event)}
      onPointerUp={(event) => acts.current.release(event)}
      onPointerCancel={() => acts.current.cancel()}
      onClick={(event) => acts.current.select(id, event.shiftKey || event.metaKey || event.ctrlKey)}
      onDoubleClick={() => canEdit && nameIt(id)}
      onContextMenu={(event) => {
        event.preventDefault();
        acts.current.menu(id, { x: event.clientX, y: event.clientY });
      }}
      onKeyDown={(event) => acts.current.key(event, id)}
    >
      <span
        className={styles.toggle}
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation();
          acts.current.toggle(id, !open);
        }}
      >
        {hasChildren && <Icon name={open ? 'down' : 'right'} size={12} />}
      </span>
      <KindIcon kind={component ? 'instance' : icon} />
      {isNamed ? (
        <NameInput
          node={id}
          close={() => {
            nameIt(undefined);
            acts.current.focus(id);
          }}
        />
      ) : (
        <span className={styles.label}>{name}</span>
      )}
      {component && component !== name && <small>{component}</small>}
      {others.slice(0, 3).map(({ client, name, color }) => (
        <span key={client} className={styles.other} style={{ background: color }} title={name} />
      ))}
      <Mark problems={problems} />
      <LayerToggle view="locked" id={id} within={locked} />
      <LayerToggle view="hidden" id={id} within={hidden} />
    </div>
  );
});

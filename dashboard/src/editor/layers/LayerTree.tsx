import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { Icon } from '../../ui/Icon';
import { useComponents } from '../components/useComponents';
import { markOf } from '../document/components/marks';
import { isInside } from '../document/document';
import type { NodeId } from '../document/operation';
import { KindIcon } from '../KindIcon';
import { kindName, nameOf } from '../names';
import { useOthers } from '../others';
import { countOf, Mark } from '../problems/Mark';
import { useProblems } from '../problems/useProblems';
import { useEditing, useLayerView, useNode, useSelection } from '../useEditor';
import type { RowDrop } from './drop';
import styles from './Layers.module.css';
import { LayerToggle } from './LayerToggle';
import { NameInput } from './NameInput';
import { type Row, rowsOf } from './rows';
import { indent, useRowDrag } from './useRowDrag';

/** The layers of a screen as a tree (the WAI-ARIA pattern: arrows walk, Enter and a click select). */
export function LayerTree({ screen }: { screen: NodeId }) {
  const { editor, canEdit, naming, name: nameIt, openMenu } = useEditing();
  const problems = useProblems();
  const components = useComponents();
  const object = useNode(screen);
  const { nodes } = useSelection();
  const others = useOthers();
  const [closed, setClosed] = useState<ReadonlySet<NodeId>>(new Set());
  const view = useLayerView();
  const [search, setSearch] = useState('');
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the document changes with the screen's object
  const rows = useMemo(() => rowsOf(editor.document, screen, closed, search), [editor, object, screen, closed, search]);
  const selected = nodes[0];
  const { drop, ...dragging } = useRowDrag(rows, list);
  const at = rows.findIndex(({ id }) => id === selected);

  // What is selected on the canvas is opened and brought into sight here.
  useEffect(() => {
    if (selected === undefined) return;
    setClosed((closed) => {
      const around = [...closed].filter((id) => id !== selected && isInside(editor.document, selected, id));
      return around.length > 0 ? new Set([...closed].filter((id) => !around.includes(id))) : closed;
    });
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [selected, editor]);

  const toggle = (id: NodeId, open: boolean) =>
    setClosed((closed) => new Set(open ? [...closed].filter((one) => one !== id) : [...closed, id]));
  const go = (to: number) => {
    const row = rows[to];
    if (!row) return;
    editor.select({ nodes: [row.id] });
    list.current?.querySelectorAll<HTMLElement>('[role=treeitem]')[to]?.focus();
  };
  const press = (event: KeyboardEvent, row: Row, index: number) => {
    const parent = rows.slice(0, index).findLastIndex(({ level }) => level < row.level);
    const acts: Record<string, (() => void) | undefined> = {
      ArrowDown: () => go(index + 1),
      ArrowUp: () => go(index - 1),
      ArrowRight: () => (row.hasChildren && !row.open ? toggle(row.id, true) : row.open && go(index + 1)),
      ArrowLeft: () => (row.open ? toggle(row.id, false) : go(parent)),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      F2: () => canEdit && nameIt(row.id),
    };
    const act = acts[event.key];
    if (!act || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  return (
    <>
      <SearchLayers search={search} setSearch={setSearch} enter={() => go(Math.max(at, 0))} none={rows.length === 0} />
      <div ref={list} role="tree" aria-label="Layers" className={styles.tree} aria-multiselectable="true">
        {rows.map((row, index) => {
          const { id, node, level, hasChildren, open } = row;
          const mark = markOf(node.object);
          const component = mark?.id === undefined ? undefined : components.find(mark.id);
          const name = nameOf(node.object, node.kind, node.slot);
          const isSelected = nodes.includes(id);
          const wrong = problems.list.filter(({ layerId }) => layerId === id);
          const there = others.filter(({ layers }) => layers.includes(id));
          const by = there.map((person) => person.name).join(', ');
          const [hidden, locked] = (['hidden', 'locked'] as const).map((one) => view.holds(one, editor.document, id));
          const seen = `${hidden ? ', hidden in the editor' : ''}${locked ? ', locked' : ''}`;
          return (
            <div
              key={id}
              role="treeitem"
              aria-level={level}
              aria-selected={isSelected}
              aria-expanded={hasChildren ? open : undefined}
              aria-label={`${name}, ${kindName(node.kind)}${component ? `, instance of ${component.name}` : ''}${seen}${by && `, selected by ${by}`}`}
              aria-description={countOf(wrong)}
              tabIndex={index === Math.max(at, 0) ? 0 : -1}
              className={styles.row}
              style={{ paddingInlineStart: 4 + level * indent }}
              data-component={(component && 'instance') || (mark && 'inside') || undefined}
              data-hidden={hidden || undefined}
              data-into={drop?.into === index || undefined}
              onPointerDown={canEdit && !locked ? (event) => dragging.press(event, id) : undefined}
              onPointerMove={dragging.move}
              onPointerUp={dragging.release}
              onPointerCancel={dragging.cancel}
              onClick={(event) => {
                if (dragging.wasDrag()) return;
                const adds = event.shiftKey || event.metaKey || event.ctrlKey;
                editor.select({ nodes: adds ? toggled(nodes, id) : [id] });
              }}
              onDoubleClick={() => canEdit && nameIt(id)}
              onContextMenu={(event) => {
                event.preventDefault();
                if (!isSelected) editor.select({ nodes: [id] });
                openMenu({ x: event.clientX, y: event.clientY });
              }}
              onKeyDown={(event) => press(event, row, index)}
            >
              <span
                className={styles.toggle}
                aria-hidden="true"
                onClick={(event) => {
                  event.stopPropagation();
                  toggle(id, !open);
                }}
              >
                {hasChildren && <Icon name={open ? 'down' : 'right'} size={12} />}
              </span>
              <KindIcon
                kind={
                  component
                    ? 'instance'
                    : node.kind === 'stack' && node.object.direction === 'horizontal'
                      ? 'row'
                      : node.kind
                }
              />
              {naming === id ? (
                <NameInput
                  node={id}
                  close={() => {
                    nameIt(undefined);
                    list.current?.querySelectorAll<HTMLElement>('[role=treeitem]')[index]?.focus();
                  }}
                />
              ) : (
                <span className={styles.label}>{name}</span>
              )}
              {component && component.name !== name && <small>{component.name}</small>}
              {there.slice(0, 3).map(({ client, name, color }) => (
                <span key={client} className={styles.other} style={{ background: color }} title={name} />
              ))}
              <Mark problems={wrong} />
              <LayerToggle view="locked" id={id} within={!!locked} />
              <LayerToggle view="hidden" id={id} within={!!hidden} />
            </div>
          );
        })}
        {drop && <DropLine drop={drop} list={list.current!} />}
      </div>
    </>
  );
}

type Search = { search: string; setSearch: (search: string) => void; enter: () => void; none: boolean };

/** Finds layers of the screen by their names and kinds. */
function SearchLayers({ search, setSearch, enter, none }: Search) {
  return (
    <p className={styles.search}>
      <Icon name="search" size={14} />
      <input
        type="search"
        aria-label="Search layers"
        placeholder="Search layers"
        maxLength={200}
        value={search}
        onChange={({ target }) => setSearch(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || event.key === 'Enter') enter();
          else if (event.key === 'Escape' && search !== '') setSearch('');
          else return;
          event.preventDefault();
        }}
      />
      <output>{none && 'No layer of this screen is called so.'}</output>
    </p>
  );
}

/** Where what is dragged would go: a line between two rows, and the place in words. */
function DropLine({ drop: { below, into, level, where }, list }: { drop: RowDrop; list: HTMLElement }) {
  const row = list.querySelectorAll<HTMLElement>('[role=treeitem]')[Math.max(below ?? into ?? 0, 0)];
  if (!row) return null;
  const top = row.offsetTop + (below === -1 ? 0 : row.offsetHeight);
  return (
    <div className={styles.drop} data-line={into === undefined || undefined} style={{ top }}>
      <i style={{ marginInlineStart: 12 + level * indent }} />
      <output>{where}</output>
    </div>
  );
}

const toggled = (nodes: readonly NodeId[], id: NodeId) =>
  nodes.includes(id) ? nodes.filter((one) => one !== id) : [...nodes, id];

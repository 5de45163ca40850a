import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { Icon } from '../../ui/Icon';
import { useComponents } from '../components/useComponents';
import { markOf } from '../document/components/marks';
import { isInside } from '../document/document';
import type { NodeId } from '../document/operation';
import { useOthers } from '../others';
import { useProblems } from '../problems/useProblems';
import { useEditing, useLayerView, useNode, useSelection } from '../useEditor';
import type { RowDrop } from './drop';
import { LayerRow, type TreeActs } from './LayerRow';
import styles from './Layers.module.css';
import { rowsOf } from './rows';
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
  const { drop, wasDrag, ...dragging } = useRowDrag(rows, list);
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
  const rowOf = (id: NodeId) => list.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);
  const go = (to: number) => {
    const row = rows[to];
    if (!row) return;
    editor.select({ nodes: [row.id] });
    rowOf(row.id)?.focus();
  };
  const key = (event: KeyboardEvent, id: NodeId) => {
    const index = rows.findIndex((row) => row.id === id);
    const row = rows[index]!;
    const parent = rows.slice(0, index).findLastIndex(({ level }) => level < row.level);
    const keys: Record<string, (() => void) | undefined> = {
      ArrowDown: () => go(index + 1),
      ArrowUp: () => go(index - 1),
      ArrowRight: () => (row.hasChildren && !row.open ? toggle(id, true) : row.open && go(index + 1)),
      ArrowLeft: () => (row.open ? toggle(id, false) : go(parent)),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      F2: () => canEdit && nameIt(id),
    };
    const act = keys[event.key];
    if (!act || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  const select = (id: NodeId, adds: boolean) => {
    if (!wasDrag()) editor.select({ nodes: adds ? toggled(nodes, id) : [id] });
  };
  const menu: TreeActs['menu'] = (id, at) => {
    if (!nodes.includes(id)) editor.select({ nodes: [id] });
    openMenu(at);
  };
  // Rows keep what they are given, so that those that did not change are not drawn again.
  const acts = useRef<TreeActs>(null!);
  acts.current = { toggle, select, menu, key, focus: (id) => rowOf(id)?.focus(), ...dragging };
  return (
    <>
      <SearchLayers search={search} setSearch={setSearch} enter={() => go(Math.max(at, 0))} none={rows.length === 0} />
      <div ref={list} role="tree" aria-label="Layers" className={styles.tree} aria-multiselectable="true">
        {rows.map(({ id, node: { object, kind, slot }, level, hasChildren, open }, index) => {
          const mark = markOf(object);
          const wrong = problems.list.filter(({ layerId }) => layerId === id);
          const there = others.filter(({ layers }) => layers.includes(id));
          return (
            <LayerRow
              key={id}
              {...{ id, object, kind, slot, level, hasChildren, open, acts }}
              isSelected={nodes.includes(id)}
              isNext={index === Math.max(at, 0)}
              into={drop?.into === index}
              isNamed={naming === id}
              hidden={view.holds('hidden', editor.document, id)}
              locked={view.holds('locked', editor.document, id)}
              component={mark?.id === undefined ? undefined : components.find(mark.id)?.name}
              problems={wrong.length > 0 ? wrong : none}
              others={there.length > 0 ? there : none}
            />
          );
        })}
        {drop && <DropLine drop={drop} list={list.current!} />}
      </div>
    </>
  );
}

const none: readonly never[] = [];

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

import './flow.css';
import { Button } from '@mantine/core';
import {
  Background,
  MarkerType,
  MiniMap,
  type Node,
  type NodeChange,
  Panel,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react';
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Look } from '../canvas/Canvas';
import { tidySteps } from '../document/commands/placeSteps';
import { nodeOf } from '../document/document';
import { exitName, exitOf, isStep } from '../document/exits';
import type { NodeId } from '../document/operation';
import { RemoveSteps } from '../RemoveSteps';
import { useEditing, useSelection } from '../useEditor';
import { AddStep, DropMenu } from './AddStep';
import { FindStep } from './FindStep';
import styles from './Graph.module.css';
import { entryY, handleY, sizeOf } from './layout';
import type { GraphNode } from './model';
import { NumbersSwitch } from './numbers/NumbersSwitch';
import { wayLabel } from './numbers/numbers';
import type { FlowPlace } from './numbers/queries';
import { useNumbers } from './numbers/useNumbers';
import { Pictures } from './Pictures';
import { entryHandle, Step, type StepNode, stepWords } from './Step';
import { selectedSteps, selectionOf } from './selection';
import { shiftOff } from './shiftOff';
import { useGraph } from './useGraph';
import { useGraphEditing } from './useGraphEditing';
import { Way, type WayEdge } from './Way';
import { Ways } from './Ways';
import { Zoom } from './Zoom';

const nodeTypes = { step: Step };
const edgeTypes = { way: Way };
const multiple = ['Shift', 'Meta', 'Control'];
const fit = { padding: 0.08, maxZoom: 1 };

type Props = {
  place: FlowPlace;
  look: Look;
  /** Shows a screen in Design. */
  open: (screen: NodeId) => void;
};

/** The flow as a graph: its steps and the ways between them. */
export function Graph(props: Props) {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  );
}

/** How long the graph moves to where it is sent, in ms: not at all for who wants no motion. */
const glide = () => (matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 200);

function Flow({ place, look: drawing, open }: Props) {
  const { editor, canEdit, say } = useEditing();
  const selection = useSelection();
  const { graph, places, points, marks } = useGraph();
  const { numbers, ...numbersBar } = useNumbers(place, graph);
  const { simulated } = numbersBar;
  const flow = useReactFlow<StepNode, WayEdge>();
  const box = useRef<HTMLElement>(null);
  const [way, setWay] = useState<string>();
  const [removing, remove] = useState<readonly NodeId[]>();
  const boxes = useCallback(
    () => graph.nodes.map((node) => ({ ...places.get(node.id)!, ...sizeOf(node) })),
    [graph, places],
  );
  const editing = useGraphEditing(box, boxes);
  const { held, dropped, onMoves } = editing;
  const chosen = useMemo(() => selectedSteps(editor.document, selection), [editor, selection]);

  const steps = [...chosen].filter((id) => isStep(nodeOf(editor.document, id)?.kind));
  const only = steps.length === 1 ? graph.nodes.find(({ id }) => id === steps[0]) : undefined;
  const tidy = canEdit ? tidySteps.when(editor, {}) : true;

  const names = useMemo(() => new Map(graph.nodes.map(({ id, name }) => [id, name])), [graph]);
  const data = useMemo(
    () =>
      new Map(
        graph.nodes.map((node) => {
          const { id } = node;
          return [
            id,
            {
              node,
              mark: marks.get(id),
              canConnect: canEdit,
              numbers: numbers?.steps.get(id),
              simulated: simulated.shares?.get(id),
            },
          ];
        }),
      ),
    [graph, marks, canEdit, numbers, simulated.shares],
  );
  const nodes = useMemo(
    () =>
      graph.nodes.map((node): StepNode => {
        const size = sizeOf(node);
        return {
          id: node.id,
          type: 'step',
          position: held.get(node.id) ?? places.get(node.id)!,
          ...size,
          measured: size,
          handles: handlesOf(node),
          data: data.get(node.id)!,
          selected: chosen.has(node.id),
          selectable: node.kind !== 'end',
          focusable: node.kind !== 'end',
          ariaLabel: stepWords(
            node,
            marks.get(node.id),
            (id) => names.get(id),
            numbers?.steps.get(node.id),
            simulated.shares?.get(node.id),
          ),
        };
      }),
    [graph, places, held, data, marks, names, chosen, numbers, simulated.shares],
  );
  const edges = useMemo(
    () =>
      graph.edges.map(({ id, from, to }): WayEdge => {
        const exit = exitOf(editor.document, id)!;
        const near = chosen.has(from) || chosen.has(to);
        const [label, share] = wayLabel(simulated.ways ? undefined : numbers?.ways.get(id), simulated.ways?.get(id));
        const words = `${names.get(from)}, ${exitName(editor.document, exit)}, to ${names.get(to)}`;
        return {
          id,
          type: 'way',
          data: { points: held.size > 0 ? undefined : points.get(id), ...label },
          source: from,
          sourceHandle: id,
          target: to,
          targetHandle: entryHandle,
          selected: id === way,
          className: near ? styles.near : undefined,
          zIndex: near || id === way ? 1 : 0,
          markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14 },
          ariaLabel: words + share,
        };
      }),
    [graph, points, held, editor, names, way, chosen, numbers, simulated.ways],
  );

  const onNodesChange = useCallback(
    (changes: NodeChange<StepNode>[]) => {
      onMoves(changes);
      const selects = changes.filter((change) => change.type === 'select');
      if (selects.length === 0) return;
      const next = new Set(selectedSteps(editor.document, editor.selection));
      for (const { id, selected } of selects) {
        if (selected) next.add(id);
        else next.delete(id);
      }
      editor.select(selectionOf(editor.document, [...next]));
    },
    [editor, onMoves],
  );
  const look = useCallback(
    (ids: Iterable<NodeId>) => void flow.fitView({ ...fit, nodes: [...ids].map((id) => ({ id })), duration: glide() }),
    [flow],
  );
  const all = useCallback(() => void flow.fitView({ ...fit, duration: glide() }), [flow]);
  useEffect(() => box.current?.focus({ preventScroll: true }), []);
  // A flow that would be too small to read begins where it starts, or with what is selected.
  const begin = () => {
    const { width, height } = box.current!.getBoundingClientRect();
    const whole = flow.getNodesBounds(nodes);
    const zoom = 0.7;
    if (Math.min(width / whole.width, height / whole.height) > zoom * 0.8) return void flow.fitView(fit);
    const [selected] = chosen;
    const first = nodes.find(({ id }) => id === selected) ?? nodes.find(({ data }) => data.node.isEntry) ?? nodes[0];
    if (!first) return;
    const { position, measured } = first;
    const middle = position.y + measured!.height! / 2;
    void flow.setViewport({ x: 96 - position.x * zoom, y: height / 2 - middle * zoom, zoom });
  };

  /** Moves the graph so far that a panel covers neither a step nor, as long as the step stays in sight, where it leads. */
  const clear = useCallback(
    (panel: DOMRect, step: NodeId, targets: readonly NodeId[]) => {
      const boxes = [step, ...targets].map((id) =>
        box.current?.querySelector(`.react-flow__node[data-id="${CSS.escape(id)}"]`)?.getBoundingClientRect(),
      );
      const by = shiftOff(panel, box.current!.getBoundingClientRect(), boxes);
      const { x, ...view } = flow.getViewport();
      if (by > 0) void flow.setViewport({ ...view, x: x - by }, { duration: glide() });
    },
    [flow],
  );

  const erase = () => {
    if (way) editing.disconnect(way);
    else if (steps.length > 0) remove(steps);
  };
  const keys = (event: KeyboardEvent) => {
    const mod = event.metaKey || event.ctrlKey;
    const [first] = chosen;
    const acts: Record<string, (() => void) | undefined> = mod
      ? { 0: () => void flow.zoomTo(1), 1: all, 2: () => look(chosen) }
      : {
          ...(canEdit && { Delete: erase, Backspace: erase }),
          Enter: chosen.size === 1 && names.has(first!) ? () => open(first!) : undefined,
        };
    const act = acts[event.key];
    const screen = first !== undefined && editor.document.parents.get(first)?.slot === 'screens';
    // Enter on a button is the button's.
    const presses = event.target instanceof Element && event.target.closest('button');
    if (!act || isField(event.target) || (event.key === 'Enter' && (!screen || way || presses))) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };

  return (
    <section
      ref={box}
      className={styles.graph}
      aria-label="Graph"
      tabIndex={-1}
      onKeyDownCapture={keys}
      onKeyUp={() => editor.endGesture()}
    >
      <ReactFlow<StepNode, WayEdge>
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onNodesChange={onNodesChange}
        onEdgesChange={(changes) => {
          for (const change of changes)
            if (change.type === 'select')
              setWay((was) => (change.selected ? change.id : was === change.id ? undefined : was));
        }}
        onNodeDoubleClick={(_, { id, data }) => data.node.kind === 'screen' && open(id)}
        onNodeDragStart={() => editor.endGesture()}
        onNodeDragStop={() => editor.endGesture()}
        onConnectEnd={editing.onConnectEnd}
        nodesConnectable={canEdit}
        nodesDraggable={canEdit}
        zoomOnDoubleClick={false}
        panOnScroll
        selectionKeyCode="Shift"
        multiSelectionKeyCode={multiple}
        deleteKeyCode={null}
        minZoom={0.1}
        maxZoom={2}
        onInit={begin}
        proOptions={{ hideAttribution: true }}
      >
        <Background gap={24} size={1.5} />
        <Pictures nodes={graph.nodes} places={places} held={held} look={drawing} />
        <Panel position="top-left">
          <div className={styles.bar}>
            <FindStep
              nodes={graph.nodes}
              find={(id) => {
                editor.select(selectionOf(editor.document, [id]));
                look([id]);
              }}
            />
            {canEdit && (
              <>
                <AddStep add={(kind) => editing.add(kind, way)} hint={way ? 'On the selected way' : 'By itself'} />
                <Button
                  variant="default"
                  size="xs"
                  disabled={tidy !== true}
                  title={tidy === true ? 'Lays all steps out anew' : tidy}
                  onClick={() => say(editor.run(tidySteps, {}))}
                >
                  Tidy up
                </Button>
              </>
            )}
          </div>
          <NumbersSwitch {...numbersBar} place={place} />
        </Panel>
        {canEdit && only && !way && (
          <Panel position="top-right" className={styles.exits}>
            <Ways key={only.id} step={only.id} drawn={only} clear={clear} />
          </Panel>
        )}
        <Panel position="bottom-left">
          <Zoom all={all} />
        </Panel>
        <MiniMap<StepNode>
          pannable
          zoomable
          ariaLabel="Map of the graph"
          nodeBorderRadius={12}
          nodeClassName={kindOf}
        />
      </ReactFlow>
      {dropped && (
        <DropMenu
          at={dropped}
          add={(kind) => editing.addDropped(kind, dropped)}
          leadToEnd={() => editing.endDropped(dropped)}
          close={editing.closeDrop}
        />
      )}
      {removing && <RemoveSteps steps={removing} close={() => remove(undefined)} />}
    </section>
  );
}

const kindOf = ({ data }: StepNode) => `${styles.mini} ${data.node.isEntry ? styles.miniStart : ''}`;

const isField = (target: EventTarget) =>
  target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);

/** Where edges begin and end at a step, so that they are drawn before it is measured. */
function handlesOf(node: GraphNode): NonNullable<Node['handles']> {
  const { width, height } = sizeOf(node);
  const point = { width: 1, height: 1 };
  const y = node.kind === 'end' ? height / 2 : entryY;
  return [
    { id: entryHandle, type: 'target', position: Position.Left, x: 0, y, ...point },
    ...node.rows.map(({ exit }, row) => ({
      id: exit,
      type: 'source' as const,
      position: Position.Right,
      x: width,
      y: handleY(node, row),
      ...point,
    })),
  ];
}

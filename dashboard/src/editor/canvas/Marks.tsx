import { Fragment, type ReactNode } from 'react';
import { find, isObject } from '../document/canonical';
import { nodeOf } from '../document/document';
import type { JsonObject, NodeId } from '../document/operation';
import { kindName, nameOf } from '../names';
import { useEditing, usePlayhead, useSelection } from '../useEditor';
import { around, type Box, type Size, seen, type View } from './board';
import styles from './Canvas.module.css';
import type { Drop } from './drop';
import type { GestureMarks } from './gestures/gesture';
import { OthersMarks } from './OthersMarks';
import type { ShownScreen } from './port';

type Props = {
  screens: readonly ShownScreen[];
  device: Size;
  view: View;
  gesture: GestureMarks;
  boxOf: (id: NodeId) => Box | undefined;
  /** Whether what is selected has an outline. */
  outlined: boolean;
  /** What lies over all that. */
  children: ReactNode;
};

/** Names of the screens, and outlines of what is selected and what the pointer is over. */
export function Marks({ screens, device, view, gesture, boxOf, outlined, children }: Props) {
  const { canEdit } = useEditing();
  const selection = useSelection();
  const { moment } = usePlayhead();
  const { hovered, drop, refused, marquee, said } = gesture;
  const own = outlined ? selection.nodes.flatMap((id) => boxOf(id) ?? []) : [];
  return (
    <div className={styles.marks}>
      {screens.map(({ id, object, x, y }) => {
        const box = seen({ x, y, ...device }, view);
        return (
          <Fragment key={id}>
            <span
              className={styles.name}
              data-selected={selection.screen === id || undefined}
              style={{ left: box.x, top: box.y, width: box.width }}
            >
              {nameOf(object, 'screen')}
              {moment?.screen === id && ` · ${moment.ms} ms`}
            </span>
            {canEdit && isBlank(object) && (
              <p className={styles.blank} style={placed(box)}>
                <span>Drag the first layer here from Add, beside Layers</span>
              </p>
            )}
          </Fragment>
        );
      })}
      <OthersMarks boxOf={boxOf} boxOfScreen={(id) => boxOfScreen(screens, id, device, view)} zoom={view.zoom} />
      {selection.screen && selection.nodes.length === 0 && (
        <ScreenOutline box={boxOfScreen(screens, selection.screen, device, view)} />
      )}
      {hovered && !selection.nodes.includes(hovered) && <Outline id={hovered} box={boxOf(hovered)} zoom={view.zoom} />}
      {outlined && selection.nodes.map((id) => <Outline key={id} id={id} box={boxOf(id)} selected />)}
      {own.length > 0 && <Whole box={around(own)} zoom={view.zoom} count={own.length} sized={!said && !drop} />}
      {children}
      {marquee && <div className={styles.marquee} style={placed(marquee)} />}
      {drop && <DropMark drop={drop} />}
      {refused && (
        <output className={styles.where} data-refused style={{ left: refused.at.x + 12, top: refused.at.y + 12 }}>
          {refused.why}
        </output>
      )}
    </div>
  );
}

function boxOfScreen(screens: readonly ShownScreen[], id: NodeId, device: Size, view: View): Box | undefined {
  const screen = screens.find((one) => one.id === id);
  return screen && seen({ x: screen.x, y: screen.y, ...device }, view);
}

/** Whether a screen holds no layer yet. */
const isBlank = ({ regions }: JsonObject) =>
  isObject(regions) &&
  Object.values(regions).every((region) => {
    const children = find(region, ['children']);
    return Array.isArray(children) && children.length === 0;
  });

const placed = ({ x, y, width, height }: Box) => ({ left: x, top: y, width, height });

/** Where what is dragged would go: a line, or the whole box where nothing else is in it; and the place in words. */
function DropMark({ drop: { line, around, where } }: { drop: Drop }) {
  return (
    <>
      <div className={styles.into} style={placed(around)} />
      <div className={styles.line} style={placed(line)} />
      <output className={styles.where} style={{ left: line.x, top: line.y + line.height }}>
        {where}
      </output>
    </>
  );
}

function ScreenOutline({ box }: { box: Box | undefined }) {
  if (!box) return null;
  return (
    <div
      className={styles.box}
      data-selected
      style={{ left: box.x - 4, top: box.y - 4, width: box.width + 8, height: box.height + 8 }}
    />
  );
}

const sizeOf = ({ width, height }: Box, zoom: number) => `${Math.round(width / zoom)} × ${Math.round(height / zoom)}`;

/** The box around all that is selected, and how large it is in pixels of the screen. */
function Whole({ box, zoom, count, sized }: { box: Box; zoom: number; count: number; sized: boolean }) {
  return (
    <div className={styles.whole} data-several={count > 1 || undefined} style={placed(box)} aria-hidden="true">
      {sized && <span>{sizeOf(box, zoom)}</span>}
    </div>
  );
}

type Outlined = { id: NodeId; box: Box | undefined; selected?: boolean; zoom?: number };

/** A layer with its name; with a zoom with its size, else with its kind. */
function Outline({ id, box, selected, zoom }: Outlined) {
  const { editor } = useEditing();
  const node = nodeOf(editor.document, id);
  if (!box || !node) return null;
  const name = nameOf(node.object, node.kind, node.slot);
  const kind = kindName(node.kind);
  const more = zoom ? sizeOf(box, zoom) : name !== kind && kind;
  return (
    <div className={styles.box} data-selected={selected || undefined} style={placed(box)}>
      <span className={styles.tag}>
        {name} {more && <small>{more}</small>}
      </span>
    </div>
  );
}

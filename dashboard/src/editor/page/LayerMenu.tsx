import { Menu } from '@mantine/core';
import { useComponents } from '../components/useComponents';
import { type Alignment, align } from '../document/commands/align';
import { allFree } from '../document/commands/distribute';
import { duplicate } from '../document/commands/duplicate';
import { remove } from '../document/commands/remove';
import { moveDown, moveUp } from '../document/commands/reorder';
import { unwrap, wrap } from '../document/commands/wrap';
import { detach, maySave, selectedInstance } from '../document/components/detach';
import type { Command } from '../document/editor';
import { lockedIn, type View } from '../layerView';
import { type MenuPlace, useEditing, useLayerView, useSelection } from '../useEditor';
import { distributeSelected, mayDistribute } from './distributing';
import styles from './Edit.module.css';
import type { Clipboard } from './useClipboard';

const words: Record<View, readonly [string, string]> = {
  hidden: ['Hide in the editor', 'Show in the editor'],
  locked: ['Lock', 'Unlock'],
};

const alignments: readonly [to: Alignment, words: string][] = [
  ['start', 'Align to the start'],
  ['center', 'Align to the center'],
  ['end', 'Align to the end'],
];

type Props = { at: MenuPlace; close: () => void; clipboard: Clipboard };

/** What can be done with what is selected, at a point of the page. */
export function LayerMenu({ at, close, clipboard }: Props) {
  const { editor, canEdit, say, name, layerView, spread } = useEditing();
  const { nodes, screen } = useSelection();
  const place = { left: at.x, top: at.y };
  const isLayer = nodes.length > 0;
  const { ask } = useComponents();
  const instance = selectedInstance(editor);
  const layers = useLayerView();
  const isLocked = lockedIn(editor, layers) !== undefined;
  const every = (view: View) => isLayer && nodes.every((id) => layers.state[view].has(id));
  const run = (words: string, keys: string, command: Command<undefined>, kept = false) => (
    <Menu.Item
      rightSection={<kbd>{keys}</kbd>}
      disabled={kept || command.when(editor, undefined) !== true}
      onClick={() => say(editor.run(command, undefined))}
    >
      {words}
    </Menu.Item>
  );
  const views = (['hidden', 'locked'] as const).map((view) => (
    <Menu.Item
      key={view}
      rightSection={<kbd>{view === 'hidden' ? '⇧⌘H' : '⇧⌘L'}</kbd>}
      disabled={!isLayer}
      onClick={() => layers.toggle(view, nodes)}
    >
      {words[view][every(view) ? 1 : 0]}
    </Menu.Item>
  ));
  return (
    <Menu
      opened
      onChange={close}
      position="bottom-start"
      width={220}
      offset={0}
      returnFocus
      withinPortal={false}
      floatingStrategy="fixed"
      middlewares={{ shift: { crossAxis: true, padding: 8 } }}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <button type="button" tabIndex={-1} aria-label="What is selected" className={styles.point} style={place} />
      </Menu.Target>
      <Menu.Dropdown aria-label="What is selected" className={styles.menu}>
        <Menu.Item rightSection={<kbd>⌘C</kbd>} disabled={!isLayer && screen === null} onClick={clipboard.copy}>
          Copy
        </Menu.Item>
        {!canEdit && views}
        {canEdit && (
          <>
            <Menu.Item
              rightSection={<kbd>⌘X</kbd>}
              disabled={isLocked || remove.when(editor, undefined) !== true}
              onClick={clipboard.cut}
            >
              Cut
            </Menu.Item>
            <Menu.Item rightSection={<kbd>⌘V</kbd>} onClick={clipboard.paste}>
              Paste
            </Menu.Item>
            <Menu.Item rightSection={<kbd>⌥⌘V</kbd>} disabled={!isLayer} onClick={clipboard.pasteStyle}>
              Paste style
            </Menu.Item>
            <Menu.Divider />
            {run('Duplicate', '⌘D', duplicate)}
            <Menu.Item
              rightSection={<kbd>R</kbd>}
              disabled={nodes.length !== 1}
              // The menu gives the focus back first.
              onClick={() => requestAnimationFrame(() => name(nodes[0]))}
            >
              Rename
            </Menu.Item>
            {run('Wrap in a stack', '⌘G', wrap)}
            {run('Unwrap', '⇧⌘G', unwrap)}
            <Menu.Divider />
            {alignments.map(([to, words]) => {
              const input = { axis: 'horizontal', to } as const;
              return (
                <Menu.Item
                  key={to}
                  disabled={align.when(editor, input) !== true}
                  onClick={() => say(editor.run(align, input))}
                >
                  {words}
                </Menu.Item>
              );
            })}
            {(allFree(editor) ? (['x', 'y'] as const) : [undefined]).map((axis) => (
              <Menu.Item
                key={axis ?? 'stack'}
                rightSection={axis ? undefined : <kbd>⇧D</kbd>}
                disabled={mayDistribute(editor, layerView) !== true}
                onClick={() => say(distributeSelected({ editor, layerView, spread }, axis))}
              >
                {axis === undefined ? 'Distribute' : axis === 'x' ? 'Distribute horizontally' : 'Distribute vertically'}
              </Menu.Item>
            ))}
            <Menu.Divider />
            {run('Move up', '↑', moveUp, isLocked)}
            {run('Move down', '↓', moveDown, isLocked)}
            <Menu.Divider />
            {views}
            <Menu.Divider />
            <Menu.Item
              rightSection={<kbd>C</kbd>}
              disabled={maySave(editor) !== true}
              onClick={() => ask({ is: 'save' })}
            >
              Save as component…
            </Menu.Item>
            {instance && (
              <Menu.Item onClick={() => say(editor.run(detach, { root: instance.root.id }))}>Detach instance</Menu.Item>
            )}
            <Menu.Divider />
            {run('Remove', '⌫', remove, isLocked)}
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

import { Menu } from '@mantine/core';
import { useComponents } from '../components/useComponents';
import { duplicate } from '../document/commands/duplicate';
import { remove } from '../document/commands/remove';
import { moveDown, moveUp } from '../document/commands/reorder';
import { unwrap, wrap } from '../document/commands/wrap';
import { detach, maySave, selectedInstance } from '../document/components/detach';
import type { Command } from '../document/editor';
import { type MenuPlace, useEditing, useSelection } from '../useEditor';
import styles from './Edit.module.css';
import type { Clipboard } from './useClipboard';

type Props = { at: MenuPlace; close: () => void; clipboard: Clipboard };

/** What can be done with what is selected, at a point of the page. */
export function LayerMenu({ at, close, clipboard }: Props) {
  const { editor, canEdit, say, name } = useEditing();
  const { nodes, screen } = useSelection();
  const place = { left: at.x, top: at.y };
  const isLayer = nodes.length > 0;
  const { ask } = useComponents();
  const instance = selectedInstance(editor);
  const run = (words: string, keys: string, command: Command<undefined>) => (
    <Menu.Item
      rightSection={<kbd>{keys}</kbd>}
      disabled={command.when(editor, undefined) !== true}
      onClick={() => say(editor.run(command, undefined))}
    >
      {words}
    </Menu.Item>
  );
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
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <button type="button" tabIndex={-1} aria-label="What is selected" className={styles.point} style={place} />
      </Menu.Target>
      <Menu.Dropdown aria-label="What is selected">
        <Menu.Item rightSection={<kbd>⌘C</kbd>} disabled={!isLayer && screen === null} onClick={clipboard.copy}>
          Copy
        </Menu.Item>
        {canEdit && (
          <>
            <Menu.Item
              rightSection={<kbd>⌘X</kbd>}
              disabled={remove.when(editor, undefined) !== true}
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
            {run('Move up', '↑', moveUp)}
            {run('Move down', '↓', moveDown)}
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
            {run('Remove', '⌫', remove)}
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

import { type KeyboardEvent, useEffect, useRef } from 'react';
import { renameNode } from '../document/commands/rename';
import type { NodeId } from '../document/operation';
import { useEditing, useNode } from '../useEditor';
import styles from './Layers.module.css';

/** Writes the name of a screen or a layer where it stands in a list. Enter and leaving it keep what is written, Escape
 * lets it be; the focus goes back to the row by `close`. */
export function NameInput({ node, close }: { node: NodeId; close: () => void }) {
  const { editor, say } = useEditing();
  const object = useNode(node);
  const ended = useRef(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);
  const name = typeof object?.name === 'string' ? object.name : '';
  const end = (written?: string) => {
    if (ended.current) return;
    ended.current = true;
    if (written !== undefined && written.trim() !== name) say(editor.run(renameNode, { node, name: written }));
    close();
  };
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    event.stopPropagation(); // keys of the row
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') end(event.currentTarget.value);
    if (event.key === 'Escape') end();
  };
  return (
    <input
      className={styles.name}
      aria-label="Name"
      defaultValue={name}
      maxLength={80}
      ref={input}
      onPointerDown={(event) => event.stopPropagation()} // what drags rows
      onKeyDown={press}
      onBlur={(event) => end(event.currentTarget.value)}
    />
  );
}

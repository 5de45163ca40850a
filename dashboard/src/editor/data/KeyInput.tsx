import { type KeyboardEvent, useState } from 'react';
import { renameKey } from '../document/commands/rename';
import type { NodeId } from '../document/operation';
import { useEditing } from '../useEditor';
import styles from './Data.module.css';

type Props = {
  sort: 'field' | 'option' | 'attribute';
  /** The question that an option is of. */
  owner?: NodeId;
  value: string;
  label: string;
};

/** A key where it is written: Enter and leaving it rename it wherever it is used, Escape lets it be. */
export function KeyInput({ sort, owner, value, label }: Props) {
  const { editor, canEdit, say } = useEditing();
  const [typed, type] = useState<string>();
  const end = () => {
    type(undefined);
    const to = typed?.trim() ?? value;
    if (to === value) return;
    const said = editor.run(renameKey, { key: sort, from: value, to, ...(owner !== undefined && { owner }) });
    say(said);
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') end();
    if (event.key === 'Escape') type(undefined);
  };
  return (
    <input
      className={styles.key}
      aria-label={label}
      spellCheck={false}
      maxLength={128}
      readOnly={!canEdit}
      value={typed ?? value}
      onChange={({ target }) => type(target.value)}
      onBlur={end}
      onKeyDown={press}
    />
  );
}

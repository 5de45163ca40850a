import { useState } from 'react';
import { attributeKeys, setAttributes } from '../attributes';
import { useEditing } from '../useEditor';
import styles from './Data.module.css';

/** Lists one more attribute that the app sends, so that conditions can ask for it. */
export function AddAttribute() {
  const { editor, say } = useEditing();
  const [key, type] = useState('');
  const add = () => {
    const to = key.trim();
    if (to === '') return;
    const own = attributeKeys(editor.document.flow);
    const said = own.includes(to)
      ? `The attribute ${to} is there already`
      : editor.runStep({ name: `Add the attribute ${to}`, operations: [setAttributes([...own, to])] });
    say(said);
    if (said === true) type('');
  };
  return (
    <tr>
      <td colSpan={4}>
        <input
          className={styles.key}
          aria-label="Add an attribute"
          placeholder="Add an attribute"
          spellCheck={false}
          maxLength={128}
          value={key}
          onChange={({ target }) => type(target.value)}
          onBlur={add}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.nativeEvent.isComposing) add();
          }}
        />
      </td>
    </tr>
  );
}

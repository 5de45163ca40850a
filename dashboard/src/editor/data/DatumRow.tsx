import { useState } from 'react';
import { Icon } from '../../ui/Icon';
import { attributeKeys, setAttributes } from '../attributes';
import type { NodeId } from '../document/operation';
import { useEditing } from '../useEditor';
import styles from './Data.module.css';
import { type Datum, optionUses } from './data';
import { KeyInput } from './KeyInput';
import { Places } from './Places';

type Props = { datum: Datum; show: (node: NodeId) => void };

/** A value with where it is set and used; its options below it when they are asked for. */
export function DatumRow({ datum, show }: Props) {
  const [opened, open] = useState(false);
  const { group, type, sensitive, setBy, usedIn, options, name } = datum;
  return (
    <>
      <tr>
        <th scope="row">
          <Key datum={datum} />
        </th>
        <td>
          {options.length === 0 ? (
            type
          ) : (
            <button
              type="button"
              className={styles.fold}
              aria-expanded={opened}
              aria-label={`${type} of ${options.length}: ${name}`}
              onClick={() => open(!opened)}
            >
              <Icon name={opened ? 'down' : 'right'} size={12} /> {type} of {options.length}
            </button>
          )}
          {sensitive && <small>Sensitive, stays out of events</small>}
        </td>
        <td>
          {group !== 'field' ? (
            <span className={styles.from}>{group === 'device' ? 'SDK' : 'App'}</span>
          ) : setBy.length > 0 ? (
            <Places places={setBy} show={show} />
          ) : (
            <span className={styles.lost}>Nothing sets it</span>
          )}
        </td>
        <td>
          {usedIn.length > 0 ? <Places places={usedIn} show={show} /> : <span className={styles.from}>Not used</span>}
        </td>
      </tr>
      {opened && <Options datum={datum} show={show} />}
    </>
  );
}

function Key({ datum: { group, key, name, usedIn } }: { datum: Datum }) {
  const { editor, canEdit, say } = useEditing();
  if (group === 'device' || key.startsWith('permission:')) return <span className={styles.fixed}>{key}</span>;
  const remove = () => {
    const others = attributeKeys(editor.document.flow).filter((one) => one !== key);
    say(editor.runStep({ name: `Remove the attribute ${key}`, operations: [setAttributes(others)] }));
  };
  return (
    <>
      <KeyInput sort={group} value={key} label={`Key of ${name}`} />
      {group === 'attribute' && canEdit && (
        <button
          type="button"
          className={styles.remove}
          aria-label={`Remove ${key}`}
          title={usedIn.length > 0 ? 'Conditions ask for it' : 'Remove'}
          disabled={usedIn.length > 0}
          onClick={remove}
        >
          <Icon name="close" size={12} />
        </button>
      )}
    </>
  );
}

/** The options of a question, each with its words and where its answer is compared with it. */
function Options({ datum: { key, options, setBy }, show }: Props) {
  const { editor } = useEditing();
  return options.map(({ value, label }, at) => {
    const uses = optionUses(editor.document, key, value);
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: an option that is renamed is the same row
      <tr key={at} className={styles.option}>
        <th scope="row">
          <KeyInput sort="option" owner={setBy[0]!.node} value={value} label={`Key of the option ${label}`} />
        </th>
        <td colSpan={2}>{label}</td>
        <td>
          {uses.length > 0 ? <Places places={uses} show={show} /> : <span className={styles.from}>Not used</span>}
        </td>
      </tr>
    );
  });
}

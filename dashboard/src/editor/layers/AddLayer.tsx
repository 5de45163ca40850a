import { insert } from '../document/commands/insert';
import { KindIcon } from '../KindIcon';
import { kindName } from '../names';
import { useEditing, useSelection } from '../useEditor';
import { groups } from './kinds';
import styles from './Layers.module.css';

/** Every kind of layer by use. One that can't stand where the selection is can't be pressed, and says why. */
export function AddLayer() {
  const { editor, say } = useEditing();
  useSelection(); // what may be added depends on it
  return (
    <div className={styles.add}>
      {groups.map(([name, kinds]) => (
        <section key={name} aria-label={name}>
          <h3>{name}</h3>
          <ul>
            {kinds.map((kind) => {
              const may = insert.when(editor, { kind });
              return (
                <li key={kind}>
                  <button
                    type="button"
                    disabled={may !== true}
                    title={may === true ? undefined : may}
                    onClick={() => say(editor.run(insert, { kind }))}
                  >
                    <KindIcon kind={kind} />
                    {kindName(kind)}
                  </button>
                </li>
              );
            })}
          </ul>
        </section>
      ))}
    </div>
  );
}

import { addRegion, type Region, removeRegion } from '../document/commands/regions';
import { childrenOf, nodeOf } from '../document/document';
import type { NodeId } from '../document/operation';
import { useEditing, useNode } from '../useEditor';
import { Field } from './controls/Field';
import styles from './Inspector.module.css';

const regions: Readonly<Record<Region, string>> = { header: 'Header', footer: 'Footer' };

/** The header and the footer of a screen, which it has or has not. */
export function Regions({ id }: { id: NodeId }) {
  const { editor, say } = useEditing();
  useNode(id);
  const screen = nodeOf(editor.document, id);
  if (!screen) return null;
  const has = new Set(childrenOf(screen).map(({ slot }) => slot));
  return Object.entries(regions).map(([region, words]) => (
    <Field key={region} label={words} reset={undefined}>
      {(field) => (
        <input
          id={field}
          type="checkbox"
          className={styles.switch}
          checked={has.has(region)}
          onChange={({ target }) =>
            say(editor.run(target.checked ? addRegion : removeRegion, { screen: id, region: region as Region }))
          }
        />
      )}
    </Field>
  ));
}

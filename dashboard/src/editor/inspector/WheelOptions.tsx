import { addOption } from '../document/commands/addOption';
import { removeItem } from '../document/commands/motion';
import { childrenOf, nodeOf } from '../document/document';
import type { NodeId, Operation } from '../document/operation';
import { label } from '../document/words';
import { defaultLocaleOf, readText, writeText } from '../text';
import { useEditing, useNode } from '../useEditor';
import { TextArea } from './controls/TextArea';
import { Items, RemoveButton } from './Items';
import styles from './Items.module.css';

/** The options of a wheel, which show nowhere as layers. */
export function WheelOptions({ id }: { id: NodeId }) {
  const { editor, canEdit, say, locale } = useEditing();
  const defaultLocale = defaultLocaleOf(useNode('flow')!);
  useNode(id);
  const wheel = nodeOf(editor.document, id);
  if (!wheel) return null;
  const options = childrenOf(wheel).filter(({ slot }) => slot === 'options');
  if (wheel.object.mode === 'date') {
    // They are kept, so that whoever looks at dates does not lose them.
    if (!canEdit || options.length === 0) return null;
    const operations: Operation[] = options.map(({ id: node }) => ({ op: 'remove', node }));
    operations.push({ op: 'unset', node: id, path: ['options'] });
    return (
      <button
        type="button"
        className={styles.add}
        onClick={() => editor.runStep({ name: `Remove the options of ${label(editor.document, id)}`, operations })}
      >
        Remove {options.length} options, which dates do not use
      </button>
    );
  }
  const add = () => {
    const selected = editor.selection;
    say(editor.run(addOption, { node: id }));
    editor.select(selected); // the wheel stays what is looked at
  };
  return (
    <Items label="Options" titled add={canEdit ? { words: 'Option', run: add } : undefined}>
      {options.map(({ id: item, object }, at) => (
        <li key={item} className={styles.line}>
          <TextArea
            id={`${item}-words`}
            label={`Option ${at + 1}`}
            value={readText(object.label, locale, defaultLocale)}
            placeholder={readText(object.label, defaultLocale, defaultLocale)}
            single
            change={(text) =>
              editor.runStep(
                { name: '', operations: [writeText(item, ['label'], text, locale, defaultLocale, object)] },
                { gesture: `text ${item} ${locale}` },
              )
            }
            done={() => editor.endGesture()}
          />
          {canEdit && options.length > 2 && (
            <RemoveButton
              name={`option ${at + 1}`}
              remove={() =>
                say(editor.run(removeItem, { item, name: `Remove an option of ${label(editor.document, id)}` }))
              }
            />
          )}
        </li>
      ))}
    </Items>
  );
}

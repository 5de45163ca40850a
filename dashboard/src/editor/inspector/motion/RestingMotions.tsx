import { addMotion, motionsOf, removeItem } from '../../document/commands/motion';
import { nodeOf } from '../../document/document';
import type { NodeId } from '../../document/operation';
import { label } from '../../document/words';
import { wordsOf } from '../../labels';
import { applies, type Control, propertiesOf, requiredOf } from '../../properties';
import { useEditing, useNode } from '../../useEditor';
import { Item, Items } from '../Items';
import { PropertyField } from '../PropertyField';

/** The motions that a layer makes over and over, or once, after it came in. */
export function RestingMotions({ id }: { id: NodeId }) {
  const { editor, canEdit, say } = useEditing();
  useNode(id);
  const layer = nodeOf(editor.document, id);
  if (!layer) return null;
  const add = { words: 'Motion', run: () => say(editor.run(addMotion, { node: id })) };
  const name = `Remove a motion of ${label(editor.document, id)}`;
  return (
    <Items label="Motions" add={canEdit ? add : undefined}>
      {motionsOf(layer).map((item, at) => (
        <Item
          key={item.id}
          name={`Motion ${at + 1}: ${wordsOf(String(item.object.preset)).toLowerCase()}`}
          remove={canEdit ? () => say(editor.run(removeItem, { item: item.id, name })) : undefined}
        >
          {propertiesOf('motion').map(
            (property) =>
              'is' in property.control &&
              applies(property, item.object, 'motion') && (
                <PropertyField
                  key={property.path.join('/')}
                  node={item.id}
                  object={item.object}
                  path={property.path}
                  control={property.control as Control}
                  required={requiredOf('motion').has(property.path[0]!)}
                />
              ),
          )}
        </Item>
      ))}
    </Items>
  );
}

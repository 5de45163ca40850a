import { mayOverride } from '../document/components/instances';
import { instanceOf, markOf } from '../document/components/marks';
import { isLayer } from '../document/document';
import type { NodeId } from '../document/operation';
import { useEditing } from '../useEditor';
import { useComponents } from './useComponents';

/** Tells of which properties all of some layers may have values of their own: instances follow their components. */
export function useMayChange(ids: readonly NodeId[]): (path: readonly string[]) => boolean {
  const { editor } = useEditing();
  const components = useComponents();
  const following = ids.flatMap((id) => {
    const content = components.find(instanceOf(editor.document, id)?.id ?? '')?.content;
    const object = editor.object(id);
    const mark = content && object && isLayer(String(object.kind)) ? markOf(object) : undefined;
    return content && mark ? [{ content, layer: mark.layer }] : [];
  });
  return (path) => following.every(({ content, layer }) => mayOverride(content, layer, path));
}

import { queryClient } from '../../graphql/query';
import { apply } from '../document/apply';
import { type Followed, followAll } from '../document/components/followAll';
import { contentOf, layersInTree, marks } from '../document/components/instances';
import { type Content, type Instance, instancesIn, unmarked } from '../document/components/marks';
import { nodeOf } from '../document/document';
import type { Editor } from '../document/editor';
import { isRefusal } from '../document/operation';
import { type Component, createComponent, followName, revisionQuery, updateComponent } from './queries';

/** Makes the instances of a draft what their components are now. Returns how many followed, or why they could not. */
export async function followComponents(editor: Editor, list: readonly Component[]): Promise<number | string> {
  const wanted = instancesIn(editor.document).filter(({ id, revision }) => {
    const now = list.find((one) => one.id === id)?.content.revision;
    return now !== undefined && revision < now;
  });
  if (wanted.length === 0) return 0;
  const followed = await Promise.all(
    [...new Set(wanted.map(({ id }) => id))].map(async (id): Promise<Followed> => {
      const revisions = [...new Set(wanted.filter((one) => one.id === id).map(({ revision }) => revision))];
      const before = await Promise.all(
        revisions.map(async (revision) => {
          const was = await queryClient.fetchQuery(revisionQuery(id, revision));
          return [revision, was ?? undefined] as const;
        }),
      );
      return { id, now: list.find((one) => one.id === id)!.content, before: new Map(before) };
    }),
  );
  return followAll(editor, followName, followed);
}

/** Makes a component of a layer, which becomes its first instance. */
export async function saveComponent(
  editor: Editor,
  app: string,
  node: string,
  name: string,
  content: Pick<Content, 'slots' | 'overridable'>,
): Promise<void> {
  const tree = unmarked(nodeOf(editor.document, node)!.object);
  const made = await createComponent(app, name, { tree, ...content });
  const root = nodeOf(editor.document, node);
  if (!root) return; // another member removed it meanwhile: the component is there
  const layers = new Map(layersInTree(tree).map(({ id }) => [id, id]));
  editor.endGesture();
  editor.runAll(`Make “${name}” an instance`, marks(root, made, layers));
}

/** Makes a component what one of its instances is; the others in the draft follow. Returns true, or why not. */
export async function updateFromInstance(
  editor: Editor,
  app: string,
  component: Component,
  instance: Instance,
): Promise<true | string> {
  if (instance.revision !== component.content.revision) return 'Update this instance first: the component has changed';
  const { content, layers } = contentOf(instance, component.content, editor.newId);
  const made = await updateComponent(app, component.id, { content });
  const root = nodeOf(editor.document, instance.root.id);
  if (!root) return true;
  // The instance is the component, and the others of the draft follow in the same step.
  const name = `Update component “${component.name}”`;
  const operations = marks(root, made, layers);
  const done = apply(editor.document, { name, operations });
  if (isRefusal(done)) return 'The instance changed meanwhile';
  editor.endGesture();
  const marked = editor.runAll(name, operations);
  if (marked !== true) return marked;
  const now = await queryClient.fetchQuery(revisionQuery(component.id, made.revision));
  if (!now) return true;
  const before = new Map<number, Content | undefined>([[component.content.revision, component.content]]);
  const followed = followAll(editor, followName, [{ id: component.id, now, before }]);
  return typeof followed === 'string' ? followed : true;
}

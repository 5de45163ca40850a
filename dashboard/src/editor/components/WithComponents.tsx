import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { explain } from '../../graphql/problems';
import { instancesIn } from '../document/components/marks';
import { useEditing } from '../useEditor';
import * as acts from './acts';
import { Dialogs } from './Dialogs';
import { componentsQuery, followName } from './queries';
import { type Asked, type Components, ComponentsContext } from './useComponents';

type Props = {
  app: string;
  /** What a dialog asks. */
  asked: Asked | undefined;
  ask: (what: Asked | undefined) => void;
  children: ReactNode;
};

/** Gives the parts of the page the app's components. As a draft opens, instances in it follow what their components have
 * become since. */
export function WithComponents({ app, asked, ask, children }: Props) {
  const { editor, canEdit, say } = useEditing();
  const { data: list } = useQuery(componentsQuery(app));
  const components = useMemo<Components>(() => {
    const find = (id: string) => list?.find((one) => one.id === id);
    /** Runs what is loaded when it is first needed, and says why it was not done. */
    const act = async (work: (done: typeof acts) => Promise<true | string>) => {
      try {
        const said = await work(acts);
        if (said !== true) say(said);
      } catch (error) {
        const { title, detail } = explain(error);
        say(`${title}. ${detail}`);
      }
    };
    return {
      ...{ list, find, ask },
      follow: () =>
        void act(async ({ followComponents }) => {
          const count = await followComponents(editor, list ?? []);
          if (typeof count === 'string' || count === 0) return count || true;
          return `${count === 1 ? 'An instance follows its component' : `${count} instances follow their components`}. Undo takes it back.`;
        }),
      update: (instance) =>
        void act(async ({ updateFromInstance }) => {
          const component = find(instance.id);
          return component ? updateFromInstance(editor, app, component, instance) : 'The component was deleted';
        }),
    };
  }, [editor, app, list, say, ask]);
  // Of two members whose editors follow at once, the second step is refused whole: the first has done all of it. What a
  // removal of another's stopped follows when the draft is opened again.
  useEffect(
    () =>
      editor.subscribe('*', () => {
        const done = editor.refused.filter(({ step }) => step.name === followName);
        if (done.length > 0) editor.dismiss(...done);
      }),
    [editor],
  );
  const followed = useRef(false);
  useEffect(() => {
    if (!list || followed.current) return;
    followed.current = true;
    if (canEdit && instancesIn(editor.document).length > 0) components.follow();
  }, [list, canEdit, editor, components]);
  return (
    <ComponentsContext value={components}>
      {children}
      {asked && <Dialogs app={app} asked={asked} />}
    </ComponentsContext>
  );
}

import { lazy, type ReactNode, Suspense, useCallback, useMemo, useState } from 'react';
import { may, type WorkspaceAccess } from '../../app/session/session';
import { lookQuery } from '../../flows/preview/look';
import { queryClient } from '../../graphql/query';
import type { Size } from '../canvas/board';
import type { Editor } from '../document/editor';
import type { Library } from '../useEditor';
import { useFiles } from './useFiles';

const MediaDialog = lazy(async () => ({ default: (await import('./MediaDialog')).MediaDialog }));

type Asked = { type: Parameters<Library['choose']>[0]; chosen: (id: string) => void };

/** The files that layers can show, and the dialog in which one is chosen. */
export function useLibrary(
  look: { mediaMap: Readonly<Record<string, string>>; branding?: unknown } | undefined,
  app: string,
  access: WorkspaceAccess,
  editor: Editor,
  device: Size,
  say: (outcome: true | string) => void,
): { library: Library; dialog: ReactNode } {
  const [asked, setAsked] = useState<Asked>();
  // What was just uploaded is shown before the library is read anew.
  const [added, setAdded] = useState<Readonly<Record<string, string>>>({});
  const choose = useCallback<Library['choose']>((type, chosen) => setAsked({ type, chosen }), []);
  const workspace = access.workspace.id;
  const know = useCallback(
    (id: string, path: string) => {
      setAdded((before) => ({ ...before, [id]: path }));
      void queryClient.invalidateQueries(lookQuery(app, workspace));
    },
    [app, workspace],
  );
  const add = useFiles({ editor, device, workspace, mayAdd: may(access, 'MEDIA_MANAGE'), added: know, say });
  const library = useMemo(
    () => ({ paths: { ...look?.mediaMap, ...added }, branding: look?.branding, choose, add }),
    [look, added, choose, add],
  );
  const take = (id: string, path: string) => {
    know(id, path);
    asked?.chosen(id);
    setAsked(undefined);
  };
  const dialog = asked && (
    <Suspense>
      <MediaDialog type={asked.type} access={access} take={take} close={() => setAsked(undefined)} />
    </Suspense>
  );
  return { library, dialog };
}

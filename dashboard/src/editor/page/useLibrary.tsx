import { lazy, type ReactNode, Suspense, useCallback, useMemo, useState } from 'react';
import type { WorkspaceAccess } from '../../app/session/session';
import { lookQuery } from '../../flows/preview/look';
import { queryClient } from '../../graphql/query';
import type { Library } from '../useEditor';

const MediaDialog = lazy(async () => ({ default: (await import('./MediaDialog')).MediaDialog }));

type Asked = { type: Parameters<Library['choose']>[0]; chosen: (id: string) => void };

/** The files that layers can show, and the dialog in which one is chosen. */
export function useLibrary(
  look: { mediaMap: Readonly<Record<string, string>>; branding?: unknown } | undefined,
  app: string,
  access: WorkspaceAccess,
): { library: Library; dialog: ReactNode } {
  const [asked, setAsked] = useState<Asked>();
  // What was just uploaded is shown before the library is read anew.
  const [added, setAdded] = useState<Readonly<Record<string, string>>>({});
  const choose = useCallback<Library['choose']>((type, chosen) => setAsked({ type, chosen }), []);
  const library = useMemo(
    () => ({ paths: { ...look?.mediaMap, ...added }, branding: look?.branding, choose }),
    [look, added, choose],
  );
  const workspace = access.workspace.id;
  const take = (id: string, path: string) => {
    setAdded((before) => ({ ...before, [id]: path }));
    asked?.chosen(id);
    setAsked(undefined);
    void queryClient.invalidateQueries(lookQuery(app, workspace));
  };
  const dialog = asked && (
    <Suspense>
      <MediaDialog type={asked.type} access={access} take={take} close={() => setAsked(undefined)} />
    </Suspense>
  );
  return { library, dialog };
}

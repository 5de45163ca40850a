import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { lookQuery, mediaIn, usePictures } from '../../flows/preview/look';
import type { Editor } from '../document/editor';

/** Branding, and the pictures that the draft shows as it is edited. */
export function useDraftLook(editor: Editor, app: string, workspace: string) {
  const { data } = useQuery(lookQuery(app, workspace));
  const more = data?.more ?? false;
  const read = useMemo(() => {
    let flow: unknown;
    let ids = '';
    return () => {
      if (more && flow !== editor.document.flow) {
        flow = editor.document.flow;
        ids = mediaIn(flow).join(' ');
      }
      return ids;
    };
  }, [editor, more]);
  const ids = useSyncExternalStore(
    useCallback((listener) => editor.subscribe('*', listener), [editor]),
    read,
  );
  return usePictures(
    data,
    workspace,
    useMemo(() => (ids ? ids.split(' ') : []), [ids]),
  );
}

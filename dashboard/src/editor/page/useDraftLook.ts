import { useQuery } from '@tanstack/react-query';
import { useMemo, useSyncExternalStore } from 'react';
import { lookQuery, mediaIn, usePictures } from '../../flows/preview/look';
import type { Editor } from '../document/editor';

/** Branding, and the pictures that the draft shows as it is edited. */
export function useDraftLook(editor: Editor, app: string, workspace: string) {
  const { data } = useQuery(lookQuery(app, workspace));
  const more = data?.more;
  const [subscribe, read] = useMemo(() => {
    let flow: unknown;
    let ids = '';
    return [
      (listener: () => void) => editor.subscribe('*', listener),
      () => {
        if (more && flow !== editor.document.flow) {
          flow = editor.document.flow;
          ids = mediaIn(flow).join();
        }
        return ids;
      },
    ] as const;
  }, [editor, more]);
  const ids = useSyncExternalStore(subscribe, read);
  return usePictures(data, workspace, ids ? ids.split(',') : []);
}

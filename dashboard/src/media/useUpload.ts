import { useCallback, useEffect, useState } from 'react';
import { useAct } from '../ui/useAct';
import { refusal } from './files';
import { mediaChanged, upload } from './queries';

type Uploaded = Awaited<ReturnType<typeof upload>>;

/** Uploads what is chosen, dropped, or pasted anywhere on the page. What can't be taken is said; the rest goes on, and is
 * answered. */
export function useUpload(workspace: string, editable: boolean, then?: (files: readonly Uploaded[]) => void) {
  const { busy, problem, run } = useAct();
  const [refused, setRefused] = useState('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: run and then are new each time and do the same
  const add = useCallback(
    async (files: readonly File[]) => {
      if (!editable || files.length === 0) return;
      setRefused(files.flatMap((file) => refusal(file) ?? []).join(' '));
      await run(async () => {
        const stored: Uploaded[] = [];
        try {
          for (const file of files) if (!refusal(file)) stored.push(await upload(workspace, file));
        } finally {
          await mediaChanged();
        }
        if (stored.length > 0) then?.(stored);
      });
    },
    [workspace, editable],
  );
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      if (event.target instanceof HTMLInputElement) return;
      void add([...(event.clipboardData?.files ?? [])]);
    };
    window.addEventListener('paste', paste);
    return () => window.removeEventListener('paste', paste);
  }, [add]);
  return { add, busy, problem: refused || problem };
}

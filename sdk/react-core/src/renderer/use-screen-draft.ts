import type { InputResponse, Layer } from '@svc/core';
import { activeInput, initialInputDraft, initialScreenDraft, type ScreenDraft } from '@svc/core/internal';
import { useCallback, useMemo, useState } from 'react';

/** The draft of one visit of a screen. */
export function useScreenDraft(layers: readonly Layer[]) {
  const input = activeInput(layers);
  const [held, setHeld] = useState(() => ({ draft: initialScreenDraft(layers, currentYear()), inputId: input?.id }));
  // A conditional can bring another input while the screen stays; its draft starts afresh.
  const draft = useMemo<ScreenDraft>(() => {
    if (held.inputId === input?.id) return held.draft;
    return { ...held.draft, input: input ? initialInputDraft(input, currentYear()) : null };
  }, [held, input]);

  const setInput = useCallback(
    (response: InputResponse | null) =>
      setHeld((old) => ({ draft: { ...old.draft, input: response }, inputId: input?.id })),
    [input],
  );
  const setCheckbox = useCallback(
    (fieldKey: string, checked: boolean) =>
      setHeld((old) => ({
        ...old,
        draft: { ...old.draft, checkboxes: { ...old.draft.checkboxes, [fieldKey]: checked } },
      })),
    [],
  );
  return { draft, setInput, setCheckbox };
}

export function currentYear(): number {
  return new Date().getFullYear();
}

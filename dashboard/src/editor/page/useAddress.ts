import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Editor } from '../document/editor';
import { screensIn } from '../screens';

const editRoute = getRouteApi('/apps/$app/$environment/flows/$flow/edit');

/** Keeps what is selected and the address the same, whichever of them changes: a link opens the same place. */
export function useAddress(editor: Editor) {
  const { screen, layer } = editRoute.useSearch();
  const navigate = editRoute.useNavigate();
  // The address has changed: a link was followed, or this is where the page begins.
  useEffect(() => {
    const { selection, document } = editor;
    if (selection.screen === (screen ?? null) && selection.nodes[0] === layer) return;
    if (layer && document.parents.has(layer)) editor.select({ nodes: [layer] });
    else editor.select({ screen: screen ?? null });
  }, [editor, screen, layer]);
  useEffect(() => {
    let last = editor.selection;
    const [first] = screensIn(editor.document.flow);
    if (last.screen === null) editor.select({ screen: String(first?.id) });
    return editor.subscribe('*', () => {
      if (editor.selection === last) return;
      last = editor.selection;
      const [layer] = last.nodes;
      void navigate({
        search: (was) => ({ ...was, screen: last.screen ?? undefined, layer }),
        replace: true,
        resetScroll: false,
      });
    });
  }, [editor, navigate]);
}

import { useCallback, useEffect, useRef, useState } from 'react';
import { around, center, covers, fitIn, placeScreens, type Size, seen, type View, zoomAt } from '../canvas/board';
import type { Editor } from '../document/editor';
import { screensIn } from '../screens';

/** Which part of the board is seen. It begins with the selected screen, as large as it fits. */
export function useView(editor: Editor, device: Size) {
  const [view, setState] = useState<View>();
  const canvas = useRef<Size>(undefined);
  /** Whether anything is seen: not before the flow has a screen. */
  const begun = useRef(false);

  const boxes = useCallback(() => {
    const screens = screensIn(editor.document.flow);
    const places = placeScreens(screens.length, device);
    return screens.map((screen, at) => ({ id: screen.id, box: { ...places[at]!, ...device } }));
  }, [editor, device]);

  const zoomTo = useCallback(
    (to: 'all' | 'selection' | number) => {
      const size = canvas.current;
      const all = boxes();
      const chosen = all.find(({ id }) => id === editor.selection.screen) ?? all[0];
      if (!size || !chosen) return;
      begun.current = true;
      if (to === 'all') setState(fitIn(around(all.map(({ box }) => box)), size));
      else if (to === 'selection') setState(fitIn(chosen.box, size));
      else
        setState((view) =>
          view ? zoomAt(view, { x: size.width / 2, y: size.height / 2 }, to) : center(chosen.box, size, to),
        );
    },
    [boxes, editor],
  );

  // For another device a screen is of another size, and stands elsewhere.
  useEffect(() => {
    if (begun.current) zoomTo('selection');
  }, [zoomTo]);

  const reveal = useCallback(
    (screen: string) =>
      setState((view) => {
        const size = canvas.current;
        const box = boxes().find(({ id }) => id === screen)?.box;
        if (!view || !size || !box || covers({ x: 0, y: 0, ...size }, seen(box, view))) return view;
        return center(box, size, Math.min(view.zoom, fitIn(box, size).zoom));
      }),
    [boxes],
  );

  const onSize = useCallback(
    (size: Size) => {
      const was = canvas.current;
      canvas.current = size;
      if (!was || !begun.current) return zoomTo('selection');
      // What is in the middle stays there.
      const [x, y] = [(size.width - was.width) / 2, (size.height - was.height) / 2];
      setState((view) => view && { ...view, x: view.x + x, y: view.y + y });
    },
    [zoomTo],
  );

  const setView = useCallback((change: (view: View) => View) => setState((view) => view && change(view)), []);
  return { view, setView, onSize, zoomTo, reveal };
}

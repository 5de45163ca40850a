import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { whenIdle } from '../../idle';
import { localesIn } from '../../locales';
import { type Misfit, MisfitsContext } from '../../misfits';
import { screensIn } from '../../screens';
import { defaultLocaleOf } from '../../text';
import { useEditing, useEditorValue } from '../../useEditor';
import type { Size } from '../board';
import type { Look } from '../Canvas';
import type { CanvasWindow } from '../port';
import { Measurer } from './measurer';
import styles from './WithMisfits.module.css';

type Props = {
  look: Look;
  devices: readonly { id: string; size: Size }[];
  children: ReactNode;
};

const none: readonly Misfit[] = [];

/** How long a flow rests before its texts are measured, in milliseconds: longer where the page has just opened. */
const rest = { first: 1500, edit: 800 };

/** Measures texts in a document of the renderer that nobody sees, after edits, while the page has nothing to do. */
export function WithMisfits({ look, devices, children }: Props) {
  const { editor } = useEditing();
  const flow = useEditorValue(({ document }) => document.flow);
  const [misfits, tell] = useState<readonly Misfit[]>(none);
  const [wanted, want] = useState(false);
  const frame = useRef<HTMLIFrameElement>(null);
  const [measurer, setMeasurer] = useState<Measurer>();
  const [fonts, countFonts] = useState(0);
  const { mediaMap, branding } = look;

  useEffect(() => {
    const timer = setTimeout(() => want(true), rest.first);
    return () => clearTimeout(timer);
  }, []);
  const open = useCallback(() => {
    const window = frame.current?.contentDocument?.defaultView as CanvasWindow | null;
    if (!window?.svcCanvas) return;
    const { fonts } = window.document;
    const made = new Measurer(window.svcCanvas, devices, idle, () => fonts.ready);
    // A font that came after words were measured makes them another.
    fonts.addEventListener('loadingdone', () => {
      made.forget();
      countFonts((count) => count + 1);
    });
    setMeasurer(made);
  }, [devices]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: measured anew when there is another font
  useEffect(() => {
    if (!measurer) return;
    const timer = setTimeout(() => {
      const { flow } = editor.document;
      const defaultLocale = defaultLocaleOf(flow);
      const locales = localesIn(flow).map(({ value }) => value);
      const work = { flow, screens: screensIn(flow), locales, defaultLocale, look: { mediaMap, branding } };
      void measurer.measure(work).then((found) => {
        if (found) tell((was) => (JSON.stringify(was) === JSON.stringify(found) ? was : found));
      });
    }, rest.edit);
    return () => {
      clearTimeout(timer);
      measurer.stop();
    };
  }, [measurer, editor, flow, mediaMap, branding, fonts]);

  return (
    <MisfitsContext value={misfits}>
      {children}
      {wanted && (
        <iframe
          ref={frame}
          title="Measures texts"
          src="/canvas.html"
          className={styles.frame}
          aria-hidden="true"
          inert
          tabIndex={-1}
          onLoad={open}
        />
      )}
    </MisfitsContext>
  );
}

/** Waits until the browser has time for a screen. A page in the background is given none, and measures later. */
const idle = () => new Promise<void>((done) => void whenIdle(done, 10));

import { useLayoutEffect, useRef } from 'react';
import { defaultLocaleOf, readText, writeText } from '../text';
import { useEditing, useNode } from '../useEditor';
import { wordsOfNext } from './answers';
import styles from './Canvas.module.css';

/** What the twin takes over from the element, so that words stay where they are. */
const look = [
  'fontFamily',
  'fontSize',
  'fontWeight',
  'fontStyle',
  'lineHeight',
  'letterSpacing',
  'textAlign',
  'textTransform',
  'direction',
  'paddingTop',
  'paddingBottom',
  'paddingLeft',
  'paddingRight',
  'color',
] as const;

type Props = { id: string; element: HTMLElement; zoom: number; close: () => void };

/** A text that is written where it stands, as it is stored: templates and all. It lies over the element, which keeps its
 * room and is not seen meanwhile. */
export function InlineText({ id, element, zoom, close }: Props) {
  const { editor, locale, write } = useEditing();
  const object = useNode(id);
  const field = useRef<HTMLTextAreaElement>(null);
  const defaultLocale = defaultLocaleOf(editor.document.flow);
  const value = readText(object?.text, locale, defaultLocale);
  const missing = readText(object?.text, defaultLocale, defaultLocale);

  useLayoutEffect(() => {
    const stage = field.current?.parentElement;
    element.style.visibility = 'hidden';
    field.current?.focus();
    field.current?.select();
    return () => {
      element.style.visibility = '';
      stage?.scrollTo(0, 0); // words below the edge were brought into sight
      editor.endGesture();
    };
  }, [element, editor]);

  // After each change: the element has drawn the new words and has its new size.
  useLayoutEffect(() => {
    const twin = field.current;
    if (!twin) return;
    const computed = element.ownerDocument.defaultView!.getComputedStyle(element);
    for (const property of look) twin.style[property] = computed[property];
    const box = element.getBoundingClientRect();
    twin.style.left = `${box.x}px`;
    twin.style.top = `${box.y}px`;
    twin.style.width = `${box.width / zoom + 1}px`; // or a line that just fits would break
    twin.style.height = 'auto';
    twin.style.height = `${Math.max(box.height / zoom, twin.scrollHeight)}px`;
    twin.style.transform = `scale(${zoom})`;
  });

  return (
    <textarea
      ref={field}
      className={styles.text}
      aria-label="Text"
      value={value}
      placeholder={missing}
      rows={1}
      spellCheck
      onChange={({ target }) => {
        if (!object) return;
        const operation = writeText(id, ['text'], target.value, locale, defaultLocale, object);
        editor.runStep({ name: 'Change text', operations: [operation] }, { gesture: `text ${id} ${locale}` });
      }}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Escape') close();
        if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
        const next = wordsOfNext(editor, id);
        if (next === undefined) return;
        event.preventDefault();
        write(next);
      }}
      onPointerDown={(event) => event.stopPropagation()}
      onDoubleClick={(event) => event.stopPropagation()}
      onBlur={close}
    />
  );
}

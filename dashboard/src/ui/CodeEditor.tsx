import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { type RefObject, useEffect, useRef } from 'react';

export type EditorProps = {
  /** What screen readers call it. */
  label: string;
  text: string;
  /** Called with every change; without it the text is to read. */
  change?: (text: string) => void;
  /** Where to go; another object goes there again. */
  go?: { position: number };
  /** In pixels, or all of the place that it stands in. */
  height?: number | '100%';
  /** The language and what else the text needs. Read once. */
  extensions?: Extension;
};

type Props = EditorProps & { view: RefObject<EditorView | undefined> };

/** Colors of the tokens, so that both schemes have contrast. */
export const colors = {
  name: { color: 'var(--accent-ink)' },
  string: { color: 'var(--good)' },
  literal: { color: 'var(--bad)' },
  keyword: { color: 'var(--warn)' },
  comment: { color: 'var(--ink-3)' },
};

/** What CodeMirror's basicSetup has but search, lint, completion and brackets that close themselves: each weighs as much as
 * a part of the flow editor, and is added where a text needs it. */
const setup: Extension = [
  lineNumbers(),
  highlightActiveLineGutter(),
  highlightSpecialChars(),
  history(),
  foldGutter(),
  drawSelection(),
  EditorState.allowMultipleSelections.of(true),
  indentOnInput(),
  bracketMatching(),
  highlightActiveLine(),
  keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap]),
];

const look = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--raised)', color: 'var(--ink)', fontSize: '12px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '18px' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--ink-3)', borderRight: '1px solid var(--line)' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--accent-wash)',
  },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--sunken)', border: 'none', color: 'var(--ink-2)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-wash)',
    color: 'var(--ink)',
  },
  '.cm-completionInfo, .cm-diagnostic': { padding: '6px 10px', maxWidth: '420px' },
  '.cm-completionDetail': { color: 'var(--ink-2)' },
  '.cm-panels, .cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
  },
});

/** A text that is code, with nothing of its language. */
export function CodeEditor({ view, ...props }: Props) {
  const { text, go, height = 480, label } = props;
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const { text, change, extensions = [], label } = latest.current;
    const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? '';
    view.current = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: text,
        extensions: [
          extensions,
          setup,
          look,
          EditorView.cspNonce.of(nonce),
          // axe takes what scrolls for unreachable unless the text itself says that the keyboard comes to it.
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorState.readOnly.of(change === undefined),
          EditorView.updateListener.of((update) => {
            const text = update.docChanged ? update.state.doc.toString() : undefined;
            if (text !== undefined && text !== latest.current.text) latest.current.change?.(text);
          }),
        ],
      }),
    });
    return () => view.current?.destroy();
  }, [view]);
  useEffect(() => {
    const { state } = view.current!;
    if (state.doc.toString() !== text)
      view.current!.dispatch({ changes: { from: 0, to: state.doc.length, insert: text } });
  }, [text, view]);
  useEffect(() => {
    if (!go || go.position > view.current!.state.doc.length) return;
    view.current!.dispatch({
      selection: { anchor: go.position },
      effects: EditorView.scrollIntoView(go.position, { y: 'center' }),
    });
    view.current!.focus();
  }, [go, view]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset draws a frame
    <div
      ref={place}
      role="group"
      aria-label={label}
      style={{
        width: '100%',
        minWidth: 0,
        height,
        border: '1px solid var(--line)',
        borderRadius: 6,
        overflow: 'hidden',
      }}
    />
  );
}

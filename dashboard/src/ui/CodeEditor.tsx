import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { type Diagnostic, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { searchKeymap } from '@codemirror/search';
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
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';

export type EditorProps = {
  /** What screen readers call it. */
  label: string;
  text: string;
  /** Called with every change; without it the text is to read. */
  change?: (text: string) => void;
  /** What is wrong, by offsets in the text. */
  diagnostics?: readonly Diagnostic[];
  /** Where to go; another object goes there again. */
  go?: { position: number };
  /** In pixels, or all of the place that it stands in. */
  height?: number | '100%';
  /** Read once. JSON unless it says otherwise. */
  extensions?: Extension;
};

/** Colors of the tokens, so that both schemes have contrast. */
const colors = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.variableName), tags.attributeName], color: 'var(--accent-ink)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--bad)' },
  { tag: [tags.keyword, tags.definitionKeyword, tags.typeName], color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--ink-3)' },
]);

/** What CodeMirror's basicSetup has but completion and brackets that close themselves, which weigh as much as a part of the
 * flow editor: JSON has nothing to complete. The playground adds them. */
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
  keymap.of([...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap]),
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

export function CodeEditor(props: EditorProps) {
  const { text, diagnostics, go, height = 480, label } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const { text, change, extensions = json(), label } = latest.current;
    const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? '';
    view.current = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: text,
        extensions: [
          extensions,
          setup,
          syntaxHighlighting(colors),
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
  }, []);
  useEffect(() => {
    const { state } = view.current!;
    if (state.doc.toString() !== text)
      view.current!.dispatch({ changes: { from: 0, to: state.doc.length, insert: text } });
  }, [text]);
  useEffect(() => {
    const { state } = view.current!;
    const within = (diagnostics ?? []).filter(({ to }) => to <= state.doc.length);
    view.current!.dispatch(setDiagnostics(state, [...within]));
  }, [diagnostics]);
  useEffect(() => {
    if (!go || go.position > view.current!.state.doc.length) return;
    view.current!.dispatch({
      selection: { anchor: go.position },
      effects: EditorView.scrollIntoView(go.position, { y: 'center' }),
    });
    view.current!.focus();
  }, [go]);
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

import { json } from '@codemirror/lang-json';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { searchKeymap } from '@codemirror/search';
import { type EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef, useState } from 'react';
import { CodeEditor, colors, type EditorProps } from './CodeEditor';

export type DocumentProps = EditorProps & {
  /** What is wrong, by offsets in the text. */
  diagnostics?: readonly Diagnostic[];
};

const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.variableName), tags.attributeName], ...colors.name },
  { tag: [tags.string, tags.special(tags.string)], ...colors.string },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], ...colors.literal },
  { tag: [tags.keyword, tags.definitionKeyword, tags.typeName], ...colors.keyword },
  { tag: tags.comment, ...colors.comment },
]);

/** A document as code, searched and with marks where something is wrong. JSON unless its extensions say otherwise. */
export function DocumentEditor({ diagnostics = [], extensions = json(), ...props }: DocumentProps) {
  const view = useRef<EditorView>(undefined);
  const [all] = useState(() => [
    extensions,
    syntaxHighlighting(highlight),
    keymap.of([...searchKeymap, ...lintKeymap]),
  ]);
  useEffect(() => {
    const { state } = view.current!;
    const within = diagnostics.filter(({ to }) => to <= state.doc.length);
    view.current!.dispatch(setDiagnostics(state, [...within]));
  }, [diagnostics]);
  return <CodeEditor {...props} view={view} extensions={all} />;
}

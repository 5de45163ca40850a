import { memo, useId, useState } from 'react';
import type { NodeId } from '../document/operation';
import { directionOf, languageName } from '../locales';
import type { Misfit } from '../misfits';
import { defaultLocaleOf, writeText } from '../text';
import { useEditing } from '../useEditor';
import { longestNote, writeNote } from './notes';
import styles from './Translate.module.css';
import type { FlowText } from './texts';

type Props = {
  text: FlowText;
  locales: readonly string[];
  show: (layer: NodeId) => void;
  /** How the text does not fit, by language. */
  misfits: ReadonlyMap<string, Misfit> | undefined;
  /** Its place among the rows of the table below the head. */
  index: number;
  measure: (row: HTMLElement | null) => void;
};

/** A text in each language. It is drawn anew when it is another. */
export const TextRow = memo(
  function TextRow({ text, locales, show, misfits, index, measure }: Props) {
    const layer = text.node.split('/')[0]!;
    return (
      <tr ref={measure} data-index={index} aria-rowindex={index + 2}>
        <th scope="row" className={styles.layer}>
          <button type="button" title="Show where it is designed" onClick={() => show(layer)}>
            {text.layer}
          </button>
          {text.part !== '' && <small>{text.part}</small>}
          <Note text={text} />
        </th>
        {locales.map((locale) => (
          <td
            key={locale}
            data-language={languageName(locale)}
            data-missing={(text.source !== '' && text.read(locale) === '') || undefined}
          >
            <Words text={text} locale={locale} misfit={misfits?.get(locale)} />
          </td>
        ))}
      </tr>
    );
  },
  (was, is) =>
    was.text.key === is.text.key &&
    was.text.value === is.text.value &&
    was.text.note === is.text.note &&
    was.text.states === is.text.states &&
    was.text.layer === is.text.layer &&
    was.show === is.show &&
    was.misfits === is.misfits &&
    was.index === is.index &&
    was.measure === is.measure &&
    was.locales.join() === is.locales.join(),
);

/** What translators are told of a text; written in its place. */
function Note({ text }: { text: FlowText }) {
  const { editor, canEdit } = useEditing();
  const [open, setOpen] = useState(false);
  const name = `${text.layer}${text.part && `, ${text.part}`}`;
  if (text.note === '' && !open)
    return canEdit ? (
      <button
        type="button"
        className={styles.addNote}
        aria-label={`Add a note to ${name}`}
        onClick={() => setOpen(true)}
      >
        Add note
      </button>
    ) : null;
  const change = (note: string) =>
    editor.runStep({ name: '', operations: [writeNote(text.key, note)] }, { gesture: `note ${text.key}` });
  return (
    <textarea
      className={`${styles.words} ${styles.note}`}
      aria-label={`Note on ${name}`}
      placeholder="For translators"
      dir="auto"
      rows={1}
      maxLength={longestNote}
      readOnly={!canEdit}
      // biome-ignore lint/a11y/noAutofocus: whoever asks for it writes it
      autoFocus={open}
      value={text.note}
      onChange={({ target }) => change(target.value)}
      onBlur={() => {
        setOpen(false);
        editor.endGesture();
      }}
    />
  );
}

function Words({ text, locale, misfit }: { text: FlowText; locale: string; misfit: Misfit | undefined }) {
  const { editor, canEdit } = useEditing();
  const language = languageName(locale);
  const change = (words: string) => {
    const { flow } = editor.document;
    const object = editor.object(text.node);
    if (!object) return;
    const operation = writeText(text.node, text.path, words, locale, defaultLocaleOf(flow), object);
    editor.runStep({ name: '', operations: [operation] }, { gesture: `text ${text.key} ${locale}` });
  };
  const id = useId();
  const said = misfit && sayMisfit(misfit);
  const state = text.state(locale);
  return (
    <>
      <textarea
        className={styles.words}
        aria-label={`${text.layer}${text.part && `, ${text.part}`}, ${language}`}
        lang={locale}
        dir={directionOf(locale)}
        aria-describedby={said && id}
        rows={1}
        readOnly={!canEdit}
        value={text.read(locale)}
        onChange={({ target }) => change(target.value)}
        onBlur={() => editor.endGesture()}
      />
      {state && <small className={styles.state}>{state === 'final' ? 'Final' : 'Reviewed'}</small>}
      {said && (
        <small id={id} className={styles.misfit}>
          {said}
        </small>
      )}
    </>
  );
}

/** How a text does not fit, below it. */
function sayMisfit({ is, detail, device }: Misfit): string {
  const on = device === 'tablet' ? ' on a tablet' : device === 'desktop' ? ' on a wide screen' : '';
  switch (is) {
    case 'cut':
      return `Cut off${on}`;
    case 'outside':
      return `Runs out of its box${on}`;
    case 'broken':
      return `A word is broken${on}: ${detail}`;
    case 'lines':
      return `${detail} lines in its button${on}`;
  }
}

import { memo } from 'react';
import type { NodeId } from '../document/operation';
import { languageName } from '../locales';
import { defaultLocaleOf, writeText } from '../text';
import { useEditing } from '../useEditor';
import styles from './Translate.module.css';
import type { FlowText } from './texts';

type Props = {
  text: FlowText;
  locales: readonly string[];
  show: (layer: NodeId) => void;
  /** Its place among the rows of the table below the head. */
  index: number;
  measure: (row: HTMLElement | null) => void;
};

/** A text in each language. It is drawn anew when it is another. */
export const TextRow = memo(
  function TextRow({ text, locales, show, index, measure }: Props) {
    const layer = text.node.split('/')[0]!;
    return (
      <tr ref={measure} data-index={index} aria-rowindex={index + 2}>
        <th scope="row" className={styles.layer}>
          <button type="button" title="Show where it is designed" onClick={() => show(layer)}>
            {text.layer}
          </button>
          {text.part !== '' && <small>{text.part}</small>}
        </th>
        {locales.map((locale) => (
          <td key={locale} data-missing={(text.source !== '' && text.read(locale) === '') || undefined}>
            <Words text={text} locale={locale} />
          </td>
        ))}
      </tr>
    );
  },
  (was, is) =>
    was.text.key === is.text.key &&
    was.text.value === is.text.value &&
    was.text.layer === is.text.layer &&
    was.show === is.show &&
    was.index === is.index &&
    was.measure === is.measure &&
    was.locales.join() === is.locales.join(),
);

function Words({ text, locale }: { text: FlowText; locale: string }) {
  const { editor, canEdit } = useEditing();
  const language = languageName(locale);
  const change = (words: string) => {
    const { flow } = editor.document;
    const object = editor.object(text.node);
    if (!object) return;
    const operation = writeText(text.node, text.path, words, locale, defaultLocaleOf(flow), object);
    editor.runStep({ name: '', operations: [operation] }, { gesture: `text ${text.key} ${locale}` });
  };
  return (
    <textarea
      className={styles.words}
      aria-label={`${text.layer}${text.part && `, ${text.part}`}, ${language}`}
      lang={locale}
      dir="auto"
      rows={1}
      readOnly={!canEdit}
      value={text.read(locale)}
      onChange={({ target }) => change(target.value)}
      onBlur={() => editor.endGesture()}
    />
  );
}

import { ActionIcon, Button, TextInput } from '@mantine/core';
import { type KeyboardEvent, useRef, useState } from 'react';
import { Icon } from '../../ui/Icon';
import { useReturnFocus } from '../../ui/useReturnFocus';
import { findText, type Match, replaceText } from '../document/commands/replaceText';
import { nodeOf } from '../document/document';
import { screenOf } from '../document/selection';
import { languageName } from '../locales';
import { nameOf } from '../names';
import { Tick } from '../Tick';
import { useEditing, useNode } from '../useEditor';
import styles from './Find.module.css';

/** How many texts are listed: who finds more looks for more words. */
const most = 100;

/** Finds words in the texts of the flow, in all languages, leads to them, and writes others in their place. */
export function FindText({ close, show }: { close: () => void; show: (layer: string) => void }) {
  const { editor, canEdit, say } = useEditing();
  useReturnFocus();
  useNode('flow');
  const [find, setFind] = useState('');
  const [replace, setReplace] = useState('');
  const [matchCase, setMatchCase] = useState(false);
  const search = { find, matchCase };
  const matches = findText(editor, search);
  const field = useRef<HTMLInputElement>(null);
  const all = () => {
    say(editor.run(replaceText, { ...search, replace }));
    // The button has nothing more to replace, and would lose the focus.
    field.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && event.target instanceof HTMLInputElement && matches[0]) go(matches[0]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const go = ({ node }: Match) => {
    const found = nodeOf(editor.document, node);
    show(found?.kind === 'wheelOption' ? found.parent!.id : node);
  };
  const count = find === '' ? '' : matches.length === 0 ? 'In no text' : `In ${matches.length} texts`;
  return (
    <div role="dialog" aria-label="Find and replace" className={styles.find} onKeyDown={press}>
      <div className={styles.head}>
        <TextInput
          size="xs"
          ref={field}
          autoFocus
          aria-label="Find"
          placeholder="Find in all texts"
          value={find}
          onChange={({ currentTarget }) => setFind(currentTarget.value)}
          className={styles.words}
        />
        <ActionIcon variant="subtle" color="gray" aria-label="Close" onClick={close}>
          <Icon name="close" size={14} />
        </ActionIcon>
      </div>
      {canEdit && (
        <div className={styles.head}>
          <TextInput
            size="xs"
            aria-label="Replace by"
            placeholder="Replace by"
            value={replace}
            onChange={({ currentTarget }) => setReplace(currentTarget.value)}
            className={styles.words}
          />
          <Button variant="default" size="xs" disabled={matches.length === 0} onClick={all}>
            Replace all
          </Button>
        </div>
      )}
      <div className={styles.head}>
        <Tick label="Match case" checked={matchCase} change={setMatchCase} />
        <p role="status" className={styles.count}>
          {matches.length === 1 ? 'In 1 text' : count}
        </p>
      </div>
      {matches.length > 0 && (
        <ul className={styles.list} aria-label="Texts">
          {matches.slice(0, most).map((match) => (
            <li key={`${match.node} ${match.path.join('/')}`}>
              <button type="button" onClick={() => go(match)}>
                <span>{match.text}</span>
                <small>{placeOf(match)}</small>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );

  function placeOf({ node, locale }: Match): string {
    const screen = nodeOf(editor.document, screenOf(editor.document, node) ?? '');
    const name = screen ? nameOf(screen.object, screen.kind) : 'The flow';
    return locale === null ? name : `${name}, ${languageName(locale)}`;
  }
}

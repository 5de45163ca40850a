import { Modal, TextInput } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { useReturnFocus } from '../../ui/useReturnFocus';
import { type Act, useAllActs } from '../acts';
import { searchDocumentation } from '../navigation/documentation';
import { find } from './find';
import { written } from './KeyList';
import styles from './Palette.module.css';

/** What is looked for may be explained. */
const inDocumentation = (words: string): Act[] =>
  words === ''
    ? []
    : [
        {
          id: 'search-docs',
          name: `Search the documentation for “${words}”`,
          group: 'Documentation',
          run: () => searchDocumentation(words),
        },
      ];

/** Finds anything that can be done by a few of its letters. */
export function Palette({ close, hint = 'Search pages and actions' }: { close: () => void; hint?: string }) {
  useReturnFocus();
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const found = [
    ...find(
      useAllActs().filter(({ keysOnly }) => !keysOnly),
      words,
    ),
    ...inDocumentation(words.trim()),
  ];
  const run = (act: Act | undefined) => {
    if (!act) return;
    close();
    act.run();
  };
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((before) => Math.min(found.length - 1, Math.max(0, before + step)));
    }
    if (event.key === 'Enter') run(found[at]);
  };
  return (
    <Modal
      opened
      onClose={close}
      withCloseButton={false}
      padding={0}
      yOffset="12vh"
      centered={false}
      aria-label="Search"
    >
      <TextInput
        data-autofocus
        size="md"
        variant="unstyled"
        className={styles.words}
        placeholder={hint}
        aria-label={hint}
        role="combobox"
        aria-expanded="true"
        aria-controls="palette"
        aria-activedescendant={found[at] && `palette-${at}`}
        value={words}
        onChange={(event) => {
          setWords(event.target.value);
          setAt(0);
        }}
        onKeyDown={move}
      />
      <div className={styles.list} id="palette" role="listbox" aria-label="Results">
        {found.map((act, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input above has the keys
          <div
            key={act.id}
            id={`palette-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            className={styles.act}
            onPointerMove={() => setAt(i)}
            onClick={() => run(act)}
          >
            <span>{act.name}</span>
            <small>{act.group}</small>
            {act.keys && <kbd>{written(act.keys)}</kbd>}
          </div>
        ))}
      </div>
    </Modal>
  );
}

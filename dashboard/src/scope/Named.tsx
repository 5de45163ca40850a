import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import styles from './ScopeBar.module.css';

type Choice = { id: string; name: string };

/** Things by name of which one is in force; `none` is the way to none of them. */
export function Choices(props: {
  label: string;
  none?: string;
  items: readonly Choice[];
  chosen: string | undefined;
  choose: (id?: string) => void;
}) {
  const { label, none, items, chosen, choose } = props;
  return (
    <ul className={styles.segments} aria-label={label}>
      {none && (
        <li>
          <button type="button" aria-pressed={!chosen} onClick={() => choose()}>
            {none}
          </button>
        </li>
      )}
      {items.map(({ id, name }) => (
        <li key={id}>
          <button type="button" aria-pressed={id === chosen} onClick={() => choose(id)}>
            {name}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Gives a thing another name, or deletes it for everybody. */
export function Change(props: {
  label: string;
  name: string;
  rename: (name: string) => Promise<void>;
  remove: () => Promise<void>;
}) {
  const { label, name, rename, remove } = props;
  const [typed, setTyped] = useState(name);
  const [sure, setSure] = useState(false);
  const { act, problem } = useAct();
  return (
    <form
      className={styles.keep}
      onSubmit={(event) => {
        event.preventDefault();
        void act(() => rename(typed.trim()));
      }}
    >
      <TextInput label={label} value={typed} onChange={(event) => setTyped(event.target.value)} />
      <Problem text={problem} />
      <Button type="submit" variant="default" disabled={typed.trim() === '' || typed === name}>
        Rename
      </Button>
      <Button variant="default" color="red" onClick={() => (sure ? void act(remove) : setSure(true))}>
        {sure ? 'Delete for all members' : 'Delete…'}
      </Button>
    </form>
  );
}

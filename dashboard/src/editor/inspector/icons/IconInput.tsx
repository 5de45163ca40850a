import { Popover } from '@mantine/core';
import { readShard } from '@svc/react/icons/read-shard';
import { useEffect, useState } from 'react';
import { Glyph } from './Glyph';
import { IconPicker } from './IconPicker';
import styles from './Icons.module.css';
import { subjectOf } from './names';

type Props = {
  id: string;
  label: string;
  value: string | undefined;
  /** What no value means. */
  none?: string | undefined;
  change: (name: string) => void;
};

/** Those that were drawn, by name: a field of the same icon has it at once. */
const drawn = new Map<string, string>();

/** An icon: how it looks, and another one in its place. */
export function IconInput({ id, label, value = '', none = 'none', change }: Props) {
  const [opened, open] = useState(false);
  const [looked, look] = useState('');
  useEffect(() => {
    let current = true;
    readShard(value, drawn).then(
      () => current && look(value),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [value]);
  const inner = drawn.get(value);
  const name = value === '' ? none : looked === value && inner === undefined ? `${value}, unknown` : subjectOf(value);
  return (
    <Popover
      opened={opened}
      onChange={open}
      position="left-start"
      width={304}
      withinPortal
      trapFocus
      returnFocus
      withRoles={false}
    >
      <Popover.Target>
        <button
          id={id}
          type="button"
          className={styles.field}
          aria-label={`${label}: ${name}`}
          aria-haspopup="dialog"
          aria-expanded={opened}
          title={value}
          onClick={() => open(!opened)}
        >
          <Glyph inner={inner} />
          <span>{name}</span>
        </button>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label="Icons" className={styles.picker}>
        <IconPicker
          value={value}
          choose={(to) => {
            change(to);
            open(false);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

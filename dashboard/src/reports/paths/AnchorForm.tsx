import { Autocomplete, Button, Popover, Select, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useChange } from '../../scope/useChange';
import { SegmentedControl } from '../../ui/SegmentedControl';
import styles from './PathsChart.module.css';
import { type Anchor, groupsOf, type Kind, kinds, nodesShown, type PathsSearch, steps } from './search';

/** What there is of each kind, the most frequent first. */
export type Known = Readonly<Record<Kind, readonly string[]>>;

/** What paths begin at, in which direction, and how names are grouped. */
export function AnchorForm({ anchor, search, known }: { anchor: Anchor; search: PathsSearch; known: Known }) {
  const change = useChange();
  return (
    <div className={styles.tools} data-print="no">
      <SegmentedControl
        aria-label="Direction"
        value={search.direction ?? 'after'}
        data={[
          { value: 'after', label: 'Paths from' },
          { value: 'before', label: 'Paths to' },
        ]}
        onChange={(direction) => change({ direction: direction === 'before' ? direction : undefined })}
      />
      <Select
        aria-label="Kind of anchor"
        w={110}
        allowDeselect={false}
        value={anchor.kind}
        data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
        onChange={(kind) => {
          const first = kind && known[kind as Kind][0];
          if (kind) change({ kind, name: first || anchor.name });
        }}
      />
      <Name key={`${anchor.kind} ${anchor.name}`} anchor={anchor} names={known[anchor.kind]} />
      <Select
        aria-label="Steps"
        w={110}
        allowDeselect={false}
        value={search.steps ?? '5'}
        data={steps.map((value) => ({ value, label: `${value} steps` }))}
        onChange={(value) => change({ steps: value === '5' ? undefined : value })}
      />
      <Select
        aria-label="Nodes"
        w={170}
        allowDeselect={false}
        value={search.nodes ?? 'all'}
        data={Object.entries(nodesShown).map(([value, label]) => ({ value, label }))}
        onChange={(value) => change({ nodes: value === 'all' ? undefined : value })}
      />
      <Groups patterns={search.group ?? []} />
    </div>
  );
}

function Name({ anchor, names }: { anchor: Anchor; names: readonly string[] }) {
  const change = useChange();
  const [typed, setTyped] = useState(anchor.name);
  const take = (name: string) => {
    if (name && name !== anchor.name) change({ kind: anchor.kind, name });
  };
  return (
    <Autocomplete
      className={styles.anchor}
      aria-label="Anchor"
      placeholder="/pricing or /blog/**"
      value={typed}
      data={[...new Set(names)].filter(Boolean)}
      limit={50}
      maxLength={2048}
      onChange={setTyped}
      onOptionSubmit={take}
      onBlur={() => (typed ? take(typed) : setTyped(anchor.name))}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take(event.currentTarget.value);
      }}
    />
  );
}

function Groups({ patterns }: { patterns: readonly string[] }) {
  const change = useChange();
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          onClick={() => {
            setText(patterns.join('\n'));
            setOpen(!open);
          }}
        >
          {patterns.length > 0 ? `Groups: ${patterns.length}` : 'Group names'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          className={styles.groups}
          onSubmit={(event) => {
            event.preventDefault();
            change({ group: groupsOf(text) });
            setOpen(false);
          }}
        >
          <Textarea
            label="Patterns, one per line"
            description="Names that match become one node; the first that matches counts. * is any text without a slash, ** any text."
            placeholder={'/blog/**\n/products/*'}
            rows={5}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <Button type="submit" variant="default">
            Apply
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}

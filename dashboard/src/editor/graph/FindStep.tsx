import { Select } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../../ui/Icon';
import type { GraphNode } from './model';

/** Finds a step by its name or its words, and shows it. */
export function FindStep({ nodes, find }: { nodes: readonly GraphNode[]; find: (id: string) => void }) {
  const [typed, type] = useState('');
  const steps = nodes.filter(({ kind }) => kind !== 'end');
  const words = new Map(steps.map(({ id, name, words }) => [id, `${name} ${words}`.toLowerCase()]));
  return (
    <Select
      size="xs"
      w={208}
      aria-label="Find a step"
      placeholder="Find a step"
      leftSection={<Icon name="search" size={14} />}
      searchable
      searchValue={typed}
      onSearchChange={type}
      value={null}
      onChange={(id) => {
        if (id) find(id);
        type('');
      }}
      data={steps.map(({ id, name }) => ({ value: id, label: name }))}
      filter={({ options, search }) =>
        options.filter((one) => 'value' in one && words.get(String(one.value))?.includes(search.trim().toLowerCase()))
      }
      limit={50}
      nothingFoundMessage="No such step"
      comboboxProps={{ withinPortal: true }}
    />
  );
}

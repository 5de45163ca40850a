import { Button, Checkbox, Popover, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatShort } from '../ui/format';
import { Icon } from '../ui/Icon';
import {
  type Dimension,
  dimensions,
  type Filter,
  type Filtered,
  type Operator,
  operators,
  operatorsOf,
  withFilter,
} from './filters';
import styles from './ScopeBar.module.css';
import { useView } from './useView';
import { valueName } from './valueName';
import { valuesQuery } from './values';

/** Adds a filter: a dimension, how, and values with their people while typing. */
export function FilterMenu({ of }: { of?: Filtered }) {
  const [open, setOpen] = useState(false);
  const [dimension, setDimension] = useState<Dimension>('country');
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-start" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<Icon name="filter" size={14} />}
          onClick={() => setOpen(!open)}
          data-print="no"
        >
          Filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={styles.values}>
          <Select
            label="Only visitors whose"
            data-autofocus
            value={dimension}
            onChange={(value) => value && setDimension(value as Dimension)}
            allowDeselect={false}
            searchable
            comboboxProps={{ withinPortal: false }}
            data={Object.entries(dimensions).map(([value, { name }]) => ({ value, label: name }))}
          />
          <Values key={dimension} dimension={dimension} of={of} />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

function Values({ dimension, of }: { dimension: Dimension; of: Filtered | undefined }) {
  const { place, search, ...view } = useView();
  const { filters, setFilters } = of ?? view;
  const [text, setText] = useState('');
  const [typed] = useDebouncedValue(text, 120);
  const found = useQuery(valuesQuery(place, search, dimension, typed));
  const filter: Filter = filters.find((filter) => filter.dimension === dimension) ?? {
    operator: 'is',
    dimension,
    values: [],
  };
  const put = (changes: Partial<Filter>) => setFilters(withFilter(filters, { ...filter, ...changes }));
  const [operator, setOperator] = useState<Operator>(filter.operator);
  const exact = operator === 'is' || operator === 'is_not';
  const toggle = (value: string) =>
    put({
      operator,
      values: filter.values.includes(value)
        ? filter.values.filter((other) => other !== value)
        : [...filter.values, value],
    });
  return (
    <>
      <Select
        aria-label="How"
        value={operator}
        onChange={(value) => {
          setOperator(value as Operator);
          if (filter.values.length > 0) put({ operator: value as Operator });
        }}
        allowDeselect={false}
        comboboxProps={{ withinPortal: false }}
        data={operatorsOf(dimension).map((value) => ({ value, label: operators[value].words }))}
      />
      <TextInput
        aria-label="Value"
        placeholder={exact ? 'Search values' : 'Text, then Enter'}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && text !== '' && !exact) toggle(text);
        }}
      />
      <div className={styles.list}>
        {found.data?.map(({ value, visitors, name = valueName(dimension, value) }) => (
          // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox within is it
          <label key={value} className={styles.value}>
            <Checkbox size="xs" checked={filter.values.includes(value)} onChange={() => toggle(value)} />
            <span>{name}</span>
            <small>{formatShort(visitors, 'count')}</small>
          </label>
        ))}
        {found.data?.length === 0 && <p className={styles.note}>No values in this period.</p>}
      </div>
    </>
  );
}

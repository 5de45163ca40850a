import { ActionIcon, Button, Popover, Select, TextInput } from '@mantine/core';
import { type FormEvent, useMemo, useState } from 'react';
import { useActs } from '../app/acts';
import { Icon } from '../ui/Icon';
import { Compare } from './Compare';
import { dayOf, isDay, localZone } from './calendar';
import { neighbour, periodNames, periods } from './range';
import styles from './ScopeBar.module.css';
import { periodOf, type Range, rangeOf, zoneOf } from './scope';
import { useView } from './useView';
import { words } from './words';

/** The range: by name, by days, the one before or after, what it is compared with, and its zone. */
export function RangeMenu() {
  const { search, change } = useView();
  const [open, setOpen] = useState(false);
  useActs(
    useMemo(
      () => [
        {
          id: 'range-custom',
          name: 'Choose days',
          group: 'Range',
          keys: periodNames.custom.key,
          words: 'custom range calendar dates',
          run: () => setOpen(true),
        },
      ],
      [],
    ),
  );
  const zone = zoneOf(search);
  const now = new Date();
  const range = rangeOf(search, now);
  const move = (side: -1 | 1) => change({ range: 'custom', ...neighbour(range, zone, side) });
  return (
    <div className={styles.range}>
      <ActionIcon variant="default" size={30} aria-label="Previous period" onClick={() => move(-1)} data-print="no">
        <Icon name="left" size={14} />
      </ActionIcon>
      <Popover opened={open} onChange={setOpen} position="bottom-end" width={340} trapFocus returnFocus>
        <Popover.Target>
          <Button variant="default" rightSection={<Icon name="down" size={12} />} onClick={() => setOpen(!open)}>
            {periodOf(search) === 'custom' ? words(range, zone) : periodNames[periodOf(search)].name}
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label="Range">
          <div className={styles.periods}>
            {periods
              .filter((period) => period !== 'custom')
              .map((period) => (
                <button
                  key={period}
                  type="button"
                  aria-pressed={period === periodOf(search)}
                  onClick={() => {
                    change({ range: period, from: undefined, to: undefined });
                    setOpen(false);
                  }}
                >
                  {periodNames[period].name}
                  <kbd>{periodNames[period].key?.toUpperCase()}</kbd>
                </button>
              ))}
          </div>
          <Custom range={range} zone={zone} done={() => setOpen(false)} />
          <div className={styles.custom}>
            <Compare />
            <Zone zone={zone} />
          </div>
        </Popover.Dropdown>
      </Popover>
      <ActionIcon
        variant="default"
        size={30}
        aria-label="Next period"
        disabled={range.end >= now}
        onClick={() => move(1)}
        data-print="no"
      >
        <Icon name="right" size={14} />
      </ActionIcon>
    </div>
  );
}

function Zone({ zone }: { zone: string }) {
  const { change } = useView();
  return (
    <Select
      label="Time zone"
      value={zone}
      searchable
      limit={50}
      onChange={(value) => change({ zone: value && value !== localZone() ? value : undefined })}
      allowDeselect={false}
      comboboxProps={{ withinPortal: false }}
      data={[...new Set(['UTC', localZone(), zone, ...Intl.supportedValuesOf('timeZone')])]}
    />
  );
}

function Custom({ range, zone, done }: { range: Range; zone: string; done: () => void }) {
  const { change } = useView();
  const [from, setFrom] = useState(dayOf(zone, range.start));
  const [to, setTo] = useState(dayOf(zone, new Date(range.end.getTime() - 1)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change({ range: 'custom', from, to });
    done();
  };
  return (
    <form className={styles.custom} onSubmit={submit}>
      <TextInput type="date" label="From" value={from} max={to} onChange={(event) => setFrom(event.target.value)} />
      <TextInput
        type="date"
        label="To, included"
        value={to}
        min={from}
        onChange={(event) => setTo(event.target.value)}
      />
      <Button type="submit" variant="default" disabled={!isDay(from) || !isDay(to)}>
        Apply
      </Button>
    </form>
  );
}

import type { Values } from './part';

/** What the command line can't say: its command is none then, because one without it would ask for something else. */
export class Unsayable extends Error {}

/** The flag of a value: by its own name in kebab case, or as a function of its own. */
type Flag = (value: never, name: string) => string[];

export const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const camel = (name: string) => name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
/** A value of a list is read as CSV; the empty one must be seen. */
const csv = (value: string) => (value === '' || /[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

export const quoted = (text: string) => (/^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** One that takes any text; in the form with `=`, which a text that begins with a dash needs. */
const text: Flag = (value: string | number, name) => [
  `--${kebab(name)}${String(value).startsWith('-') ? '=' : ' '}${quoted(String(value))}`,
];
/** One whose values are an enum's, which the command line has in camelCase. */
const choice: Flag = (value: string, name) => [`--${kebab(name)} ${camel(value)}`];
const list: Flag = (values: readonly string[], name) => values.flatMap((value) => text(csv(value) as never, name));
const called =
  (name: string, flag: Flag): Flag =>
  (value) =>
    flag(value, name);
const nothing: Flag = () => [];

const filters =
  (names: Readonly<Record<string, string>> = {}): Flag =>
  (all: Readonly<Record<string, { op?: string; values: readonly string[] } | null>>) =>
    Object.entries(all).flatMap(([name, filter]) => {
      if (!filter) return [];
      const flag = `xf-${kebab(names[name] ?? name)}`;
      const op =
        filter.op && filter.op !== 'IS' ? [`--xf-op-${kebab(names[name] ?? name)} ${filter.op.toLowerCase()}`] : [];
      return [...list(filter.values as never, flag), ...op];
    });

/** The flags of inputs that several reports have. */
const shared: Record<string, Flag> = {
  environment: (value: string) => (value === 'TEST' ? ['--env test'] : []),
  range: ({ start, end }: { start: string; end: string }) => [`--start ${start}`, `--end ${end}`],
  timeZone: text,
  platform: choice,
  segmentId: text,
};

/** Flags of reports' own arguments. */
export const argumentFlags: Record<string, Flag> = {
  ...shared,
  dimension: choice,
  orderBy: choice,
  ascending: (value: boolean) => (value ? ['--ascending'] : []),
  first: text,
  after: text,
  search: (value: string, name) => (value === '' ? [] : text(value as never, name)),
  metric: choice,
  grain: choice,
  days: text,
  by: choice,
  key: text,
  name: text,
  goalId: called('goal', text),
  appUserId: called('user', text),
  customUserId: called('custom-user', text),
  drill: ({ dimension, value }: { dimension: string; value: string }) => [
    ...choice(dimension as never, 'dimension'),
    ...text(value as never, 'value'),
  ],
};

/** Flags of PathsInput. */
export const pathFlags: Record<string, Flag> = {
  anchor: ({ kind, name }: { kind: string; name: string }) => text(`${camel(kind)}:${name}` as never, 'anchor'),
  direction: (value: string) => (value === 'BEFORE' ? ['--before'] : []),
  steps: text,
  kinds: (values: readonly string[], name) => values.flatMap((value) => choice(value as never, name)),
  groups: (values: readonly string[]) => values.flatMap((value) => text(value as never, 'group')),
};

const columnFlags = { browser: 'browsers', os: 'operating-systems', device: 'devices' };

/** Flags of ScopeInput. */
export const sessionFlags: Record<string, Flag> = {
  ...shared,
  cross: filters(),
  columns: (values: Readonly<Record<string, string | null>>) =>
    Object.entries(values).flatMap(([name, value]) =>
      value === null ? [] : text(value as never, columnFlags[name as keyof typeof columnFlags] ?? name),
    ),
  revenueProvider: choice,
};

/** Flags of FlowAnalyticsScope and AppFlowScope. */
export const runFlags: Record<string, Flag> = {
  ...shared,
  flowId: nothing, // it is the command's argument
  versions: list,
  channels: list,
  experimentId: called('experiment', text),
  variants: list,
  filters: filters({ acquisitionChannel: 'channel' }),
  customProperty: ({ key, values }: { key: string; values: readonly string[] }) => [
    `--custom ${quoted(`${key}=${values.map(csv).join(',')}`)}`,
  ],
};

/** Flags of RevenueScope. */
export const moneyFlags: Record<string, Flag> = {
  ...shared,
  appId: nothing,
  basis: (value: string) => (value === 'CHARGE' ? ['--basis charge'] : []),
  providers: (values: readonly string[], name) => values.flatMap((value) => choice(value as never, name)),
  stores: list,
  products: list,
  countries: list,
  periodLengths: list,
  flowVersions: list,
  experimentArms: called('arms', list),
};

/** Writes values as flags; what is left out is none. It throws Unsayable for a value that has no flag. */
export const flagsOf = (values: Values, known: Readonly<Record<string, Flag>>): string[] =>
  Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined || value === null) return [];
    const flag = known[name];
    if (!flag) throw new Unsayable(name);
    return flag(value as never, name);
  });

import { ActionIcon, Button, Checkbox, NumberInput, Select, Textarea, TextInput } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { CountryMap } from '../charts/CountryMap';
import { Curve } from '../charts/Curve';
import { Heatmap } from '../charts/Heatmap';
import { LineChart } from '../charts/LineChart';
import { ValueChart } from '../charts/ValueChart';
import { WorldMap } from '../charts/WorldMap';
import { Refused } from '../graphql/problems';
import { Unreachable } from '../graphql/reachable';
import type { Answer } from '../graphql/send';
import { Card } from '../ui/Card';
import { Code } from '../ui/Code';
import { Confirm } from '../ui/Confirm';
import { ConfirmName } from '../ui/ConfirmName';
import { CopyBlock } from '../ui/CopyBlock';
import { CopyText } from '../ui/CopyText';
import { Empty } from '../ui/Empty';
import { Change, Figure } from '../ui/Figure';
import { Figures } from '../ui/Figures';
import { Findings } from '../ui/Findings';
import type { FigureKind } from '../ui/format';
import { Icon, iconNames } from '../ui/Icon';
import { Problem } from '../ui/Problem';
import { RankedTable } from '../ui/RankedTable';
import { Secret } from '../ui/Secret';
import { SegmentedControl } from '../ui/SegmentedControl';
import { When } from '../ui/When';
import styles from './Gallery.module.css';

/** Each state of each component, with figures of its own. */
export function Gallery() {
  return (
    <>
      <Part name="Buttons">
        {(['filled', 'default', 'subtle'] as const).map((variant) => (
          <div key={variant} className={styles.states}>
            <Button variant={variant}>Save</Button>
            <Button variant={variant} leftSection={<Icon name="plus" size={14} />}>
              New flow
            </Button>
            <Button variant={variant} disabled>
              Not now
            </Button>
            <Button variant={variant} loading>
              Running
            </Button>
          </div>
        ))}
        <ActionIcon variant="default" aria-label="Close">
          <Icon name="close" size={14} />
        </ActionIcon>
        <Confirm meaning="Yes, apps stop working" act={nothing}>
          Revoke
        </Confirm>
        <ConfirmName act="Archive" name="Onboarding" change={async () => undefined}>
          Apps no longer get a flow from it.
        </ConfirmName>
      </Part>
      <Part name="Fields" wide>
        <TextInput label="Name" placeholder="Onboarding" />
        <TextInput label="Name, refused" defaultValue="Onboarding" error="Another flow has this name." />
        <TextInput label="Name, not to be changed" defaultValue="Onboarding" disabled />
        <NumberInput label="Days" defaultValue={30} />
        <Select label="Platform" defaultValue="web" data={[{ value: 'web', label: 'Web' }]} />
        <Textarea label="Note" defaultValue="The campaign began." />
        <Checkbox label="People" defaultChecked />
        <Checkbox label="Runs" />
        <SegmentedControl aria-label="Shown" value="Percent" onChange={() => undefined} data={['Percent', 'People']} />
        <Problem text="The server does not answer. What you typed is kept." />
      </Part>
      <Part name="Metrics" wide>
        <Figures
          figures={[
            { name: 'Visitors', kind: 'count', value: 128_344, before: 101_200 },
            { name: 'Bounce rate', kind: 'share', value: 0.353, before: 0.31, fewer: true },
            { name: 'Revenue', kind: 'money', value: 1_684.92, before: 1_684.92 },
            { name: 'Session length', kind: 'seconds', value: 83, before: null },
            { name: 'Conversion', kind: 'share', value: null },
          ]}
        />
        <div className={styles.states}>
          {kinds.map((kind) => (
            <Figure key={kind} kind={kind} value={0.5} />
          ))}
          <Change kind="count" now={3} before={2} />
          <Change kind="count" now={2} before={3} />
          <Change kind="count" now={2} before={2} />
          <When at="2026-03-01T10:00:00Z" />
        </div>
      </Part>
      <Part name="Cards" wide>
        <Card title="Waiting for rows" {...card} answer={answers.waiting} waiting={{ rows: 3 }} />
        <Card title="Waiting for a chart" {...card} answer={answers.waiting} waiting={{ height: 60 }} />
        <Card title="Answered" {...card} answer={answers.there} actions={<Button variant="default">Act</Button>} />
        <Card title="Being replaced" {...card} answer={answers.stale} />
        <Card title="Empty" {...card} answer={answers.there} empty={() => nobody} />
        <Card title="This part failed" {...card} answer={answers.partly} />
        <Card title="Refused" {...card} answer={answers.refused} />
        <Card title="No server" {...card} answer={answers.unreachable} />
      </Part>
      <Part name="Tables" wide>
        <RankedTable
          name="Channel"
          rows={rows}
          keyOf={({ name }) => name}
          label={({ name }) => name}
          columns={[
            { id: 'visitors', name: 'Visitors', kind: 'count', value: ({ visitors }) => visitors, sort: 'VISITORS' },
            { id: 'revenue', name: 'Revenue', kind: 'money', value: ({ revenue }) => revenue },
          ]}
          pick={nothing}
          sort={nothing}
          sorted={{ by: 'VISITORS', ascending: false }}
        />
        <Heatmap
          title="Retention"
          unit="Day"
          people={false}
          rows={[
            { name: 'Nov 1', size: 120, cells: shares.slice(0, 5) },
            { name: 'Nov 2', size: 100, cells: shares.slice(0, 3).map((share) => ({ ...share, eligible: 80 })) },
          ]}
        />
      </Part>
      <Part name="Charts" wide>
        <LineChart
          title="Visitors"
          kind="count"
          grain="DAY"
          zone="UTC"
          running={6}
          height={180}
          lines={[
            { name: 'Visitors', points: points(1) },
            { name: 'Previous period', points: points(2), compared: true },
          ]}
          annotations={[{ at: '2026-03-03T12:00:00Z', text: 'Onboarding v2 published' }]}
          comparedName="Previous period"
        />
        <ValueChart
          title="Visitors by channel"
          kind="count"
          grain="DAY"
          zone="UTC"
          height={180}
          nameOf={(value) => value}
          series={rows.map(({ name }, i) => ({ value: name, points: points(i + 1) }))}
        />
        <Curve title="Retention" points={shares.slice(1)} compared={shares.slice(1, 4)} comparedName="before" />
        <CountryMap title="Visitors" kind="count" values={countries} pick={nothing} />
        <WorldMap points={[{ latitude: 52.5, longitude: 13.4, value: 3, name: 'Berlin' }]} />
      </Part>
      <Part name="Texts" wide>
        <Empty {...nobody} />
        <Findings
          findings={[
            { severity: 'error', code: 'missing', pointer: '/screens/0/id', message: 'A screen needs an id.' },
            { severity: 'warning', code: 'unused', pointer: '/screens/3', message: 'The screen is unreachable.' },
          ]}
          go={nothing}
        />
        <Secret name="Key" value="sk_live_0123456789" close={nothing}>
          Servers send it with every request.
        </Secret>
        <CopyText text="svc apps list" />
        <CopyBlock name="Code" text={"import { Svc } from '@svc/react';"} />
        <Code label="Definition" text={'{"trigger": {"type": "manual"}}'} height={80} />
      </Part>
      <Part name="Icons" wide>
        <ul className={styles.icons}>
          {iconNames.map((name) => (
            <li key={name}>
              <Icon name={name} />
              {name}
            </li>
          ))}
        </ul>
      </Part>
    </>
  );
}

function Part({ name, wide, children }: { name: string; wide?: boolean; children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles.part} aria-labelledby={id}>
      <h2 id={id}>{name}</h2>
      <div className={wide ? styles.wide : styles.states}>{children}</div>
    </section>
  );
}

const nothing = () => undefined;
const kinds: readonly FigureKind[] = ['count', 'money', 'share', 'seconds', 'number'];
const nobody = {
  title: 'No users yet',
  why: 'Users appear here once an app sends its first event.',
  next: <Button variant="default">Connect your app</Button>,
};

type Result = UseQueryResult<Answer<'FlowThumbnail'>>;
const answered = {
  data: { flow: { draft: {} } },
  problems: [],
  at: new Date('2026-03-01T10:00:00Z'),
  asked: { text: 'query FlowThumbnail { flow(id: "1") { draft } }', variables: {} },
};
const failed = {
  ...answered,
  data: { flow: null },
  problems: [{ code: 'internal', message: 'x', path: 'flow' }],
};
const result = (state: object) =>
  ({ isFetching: false, isPlaceholderData: false, isError: false, refetch: nothing, ...state }) as unknown as Result;
const answers = {
  waiting: result({ isFetching: true }),
  there: result({ data: answered }),
  stale: result({ data: answered, isFetching: true, isPlaceholderData: true }),
  partly: result({ data: failed }),
  refused: result({ isError: true, error: new Refused([{ code: 'forbidden', message: 'An editor may.' }]) }),
  unreachable: result({ isError: true, error: new Unreachable('no answer') }),
};
const card = {
  part: ({ flow }: Answer<'FlowThumbnail'>['data']) => flow,
  path: 'flow' as const,
  waiting: { rows: 2 },
  children: () => <p>Description of the part.</p>,
};

const rows = [
  { name: 'Organic search', visitors: 1_204, revenue: 812.5 },
  { name: '/plants/monstera', visitors: 640, revenue: 0 },
  { name: 'Direct', visitors: 88, revenue: 12.99 },
];
const points = (step: number) =>
  Array.from({ length: 7 }, (_, i) => ({ bucket: `2026-03-0${i + 1}T00:00:00Z`, value: 40 + ((i * step * 17) % 60) }));
const shares = [1, 0.31, 0.22, 0.18, 0.17].map((rate, offset) => ({
  offset,
  returned: Math.round(120 * rate),
  eligible: 120,
  rate,
}));
const countries = new Map([
  ['DE', 40],
  ['US', 120],
  ['BR', 12],
]);

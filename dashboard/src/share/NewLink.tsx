import { Button, Checkbox, PasswordInput, Select, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { SharedReport } from '../graphql/schema.gen';
import { filterFacts } from '../scope/filterFacts';
import { kindOf } from '../scope/scope';
import { segmentsQuery } from '../scope/segments';
import { useValueNames } from '../scope/useGoals';
import { useView } from '../scope/useView';
import { toViewScope } from '../scope/views';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { createLink, reports, sharedReports } from './queries';
import styles from './ShareDialog.module.css';

const appRoute = getRouteApi('/apps/$app/$environment');

/** Days until a link ends. */
const ends = [
  { value: '', label: 'Never' },
  { value: '1', label: 'In 1 day' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 1 year' },
];

const dayLength = 86_400_000;

type Props = { report: SharedReport; done: (made: { address: string; name: string; framed: boolean }) => void };

/** What a link shows, to whom and how long; its filters are those in force. */
export function NewLink({ report, done }: Props) {
  const { place, search } = useView();
  const { app } = appRoute.useRouteContext();
  const [name, setName] = useState(app.name);
  const [chosen, setChosen] = useState<SharedReport[]>([report]);
  const [days, setDays] = useState('');
  const [password, setPassword] = useState('');
  const [origins, setOrigins] = useState<string[]>([]);
  const [poweredBy, setPoweredBy] = useState(true);
  const { run, busy, problem } = useAct();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const scope = toViewScope(search);
    const comparable = scope.comparison === 'YEAR' || scope.comparison === 'NONE' ? scope.comparison : 'PREVIOUS';
    const address = await run(() =>
      createLink({
        appId: place.app,
        environment: kindOf(place.environment),
        name: name.trim(),
        reports: sharedReports.filter((report) => chosen.includes(report)),
        scope: { ...scope, comparison: comparable, against: null },
        password: password || null,
        expiresAt: days ? new Date(Date.now() + Number(days) * dayLength).toISOString() : null,
        frameOrigins: origins,
        poweredBy,
      }),
    );
    if (address) done({ address, name: name.trim(), framed: origins.length > 0 });
  };
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      <p className={styles.note}>
        Whoever has the link sees these reports without signing in, revenue included. They never see single users.
      </p>
      <TextInput
        label="Name"
        description="Readers see it"
        required
        maxLength={120}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Checkbox.Group label="Reports" value={chosen} onChange={(names) => setChosen(names as SharedReport[])}>
        <div className={styles.reports}>
          {sharedReports.map((report) => (
            <Checkbox key={report} value={report} label={reports[report].name} />
          ))}
        </div>
      </Checkbox.Group>
      <Limits />
      <Select
        label="Expires"
        value={days}
        data={ends}
        allowDeselect={false}
        onChange={(value) => setDays(value ?? '')}
      />
      <PasswordInput
        label="Password"
        description="At least 8 characters; leave it empty for none"
        autoComplete="new-password"
        minLength={8}
        maxLength={256}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <TagsInput
        label="Sites that may embed it"
        description="Such as https://www.example.com; * for any site"
        placeholder={origins.length === 0 ? 'No site' : ''}
        maxTags={20}
        value={origins}
        onChange={setOrigins}
      />
      <Checkbox
        label="Show “Powered by Svc”"
        checked={poweredBy}
        onChange={(event) => setPoweredBy(event.currentTarget.checked)}
      />
      <Problem text={problem} />
      <Button type="submit" loading={busy !== ''} disabled={chosen.length === 0 || name.trim() === ''}>
        Create link
      </Button>
    </form>
  );
}

/** The filters in force, which readers cannot take away. */
function Limits() {
  const { place, search, filters } = useView();
  const segments = useQuery({ ...segmentsQuery(place), enabled: search.segment !== undefined });
  const segment = segments.data?.data.app?.segments?.nodes.find(({ id }) => id === search.segment);
  const nameOf = useValueNames(filters);
  const limits = [
    ...(search.segment ? [`Segment is ${segment?.name ?? '…'}`] : []),
    ...filterFacts(toViewScope(search), nameOf).map((fact) => fact.join(' ')),
  ];
  return (
    <div className={styles.note}>
      <b>Fixed filters</b>
      {limits.length === 0 ? (
        <p>None: readers see all visitors. Filter the page before you share it to limit them.</p>
      ) : (
        <>
          <ul>
            {limits.map((limit) => (
              <li key={limit}>{limit}</li>
            ))}
          </ul>
          <p>Readers choose the period, and cannot remove these.</p>
        </>
      )}
    </div>
  );
}

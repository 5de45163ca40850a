import { Checkbox, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { graphql } from '../graphql/graphql';
import { query } from '../graphql/query';
import { shareToken } from '../share/link';
import { comparedRange, kindOf, type Place, type ScopeSearch, zoneOf } from './scope';
import { segmentsQuery } from './segments';
import { useView } from './useView';
import { words } from './words';

const document = graphql<'FlowSides'>(`
  query FlowSides($app: ID!, $flow: ID!) {
    flow(id: $flow) { versions(first: 200) { nodes { id number label } } }
    app(id: $app) { experiments(first: 100) { nodes {
      id name channel { environment { kind } } variants { key name version { flow { id } } }
    } } }
  }`);

/** What a report is compared with: another period, or other people in the same one. */
export function Compare() {
  const { place, search, change } = useView();
  const { flow } = useParams({ strict: false });
  const { compare, against, match } = search;
  const range = comparedRange(search, new Date());
  const ofPeriods = compare === undefined || compare === 'year';
  return (
    <>
      <Select
        label="Compare with"
        description={range && ofPeriods && words(range, zoneOf(search))}
        value={compare ?? ''}
        onChange={(value) =>
          change({ compare: (value || undefined) as ScopeSearch['compare'], against: undefined, match: undefined })
        }
        allowDeselect={false}
        comboboxProps={{ withinPortal: false }}
        data={[
          { value: '', label: 'Previous period' },
          { value: 'year', label: 'Same period last year' },
          ...(shareToken ? [] : [{ value: 'segment', label: 'A segment' }]),
          ...(flow || compare === 'version' ? [{ value: 'version', label: 'A version of the flow' }] : []),
          ...(flow || compare === 'arm' ? [{ value: 'arm', label: 'A variant of an experiment' }] : []),
          { value: 'none', label: 'Nothing' },
        ]}
      />
      {ofPeriods && range && (
        <Checkbox
          size="xs"
          label="Match day of the week"
          checked={match === 'weekday'}
          onChange={(event) => change({ match: event.target.checked ? 'weekday' : undefined })}
        />
      )}
      {compare === 'segment' && <Segments place={place} against={against} choose={(against) => change({ against })} />}
      {(compare === 'version' || compare === 'arm') &&
        (flow ? (
          <Sides place={place} flow={flow} kind={compare} against={against} choose={(against) => change({ against })} />
        ) : (
          <small>Versions and variants are compared on the page of their flow.</small>
        ))}
    </>
  );
}

type Against = { place: Place; against: string | undefined; choose: (against: string) => void };

function Segments({ place, against, choose }: Against) {
  const segments = useQuery(segmentsQuery(place)).data?.data.app?.segments?.nodes ?? [];
  return (
    <Choice
      label="Segment"
      none="No segments yet"
      against={against}
      choose={choose}
      choices={segments.map(({ id, name }) => ({ value: id, label: name }))}
    />
  );
}

function Sides({ place, flow, kind, ...rest }: Against & { flow: string; kind: 'version' | 'arm' }) {
  const data = useQuery(query(document, [place.app, flow], () => ({ app: place.app, flow }))).data?.data;
  if (kind === 'version')
    return (
      <Choice
        {...rest}
        label="Version"
        none="No versions yet"
        choices={(data?.flow?.versions.nodes ?? []).map(({ id, number, label }) => ({
          value: id,
          label: `v${number} ${label}`.trim(),
        }))}
      />
    );
  const here = kindOf(place.environment);
  const arms = (data?.app?.experiments?.nodes ?? [])
    .filter(({ channel }) => channel.environment.kind === here)
    .flatMap(({ id, name, variants }) =>
      variants
        .filter(({ version }) => version?.flow.id === flow)
        .map((arm) => ({ value: `${id}/${arm.key}`, label: `${name}: ${arm.name || arm.key}` })),
    );
  return <Choice {...rest} label="Variant" none="No experiments with this flow" choices={arms} />;
}

function Choice(props: {
  label: string;
  none: string;
  choices: { value: string; label: string }[];
  against: string | undefined;
  choose: (against: string) => void;
}) {
  const { label, none, choices, against, choose } = props;
  return (
    <Select
      label={label}
      placeholder={choices.length > 0 ? 'Choose' : none}
      searchable
      value={against ?? null}
      onChange={(value) => value && choose(value)}
      allowDeselect={false}
      comboboxProps={{ withinPortal: false }}
      data={choices}
    />
  );
}

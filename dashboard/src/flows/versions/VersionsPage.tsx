import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { may } from '../../app/session/session';
import { Watch } from '../../channels/Watch';
import { LazyCompare } from '../../editor/compare/LazyCompare';
import { Card } from '../../ui/Card';
import { Code } from '../../ui/Code';
import { downloadText } from '../../ui/csv';
import { Failure } from '../../ui/Failure';
import { formatAgo } from '../../ui/format';
import { rangeOf } from '../../ui/pointer';
import { SegmentedControl } from '../../ui/SegmentedControl';
import { Waiting } from '../../ui/Waiting';
import { DraftEditor } from './DraftEditor';
import { FlowTabs } from './FlowTabs';
import { isMissing, NoFlow } from './NoFlow';
import { PreviewLink } from './PreviewLink';
import { Publish } from './Publish';
import { PublishAgain } from './PublishAgain';
import {
  experimentsOf,
  type FlowDetail,
  manifestQuery,
  type Other,
  othersOf,
  type Serving,
  servingOf,
  versionsQuery,
} from './queries';
import { Requested } from './Requested';
import { Screens } from './Screens';
import styles from './Versions.module.css';

const appRoute = getRouteApi('/apps/$app/$environment');
const versionsRoute = getRouteApi('/apps/$app/$environment/flows/$flow/versions');

/** How many channels are asked how their newest version does. */
const watched = 4;

/** A flow as it is and as it was: its screens, its JSON, what is different, and what serves which version. */
export function VersionsPage() {
  const place = versionsRoute.useParams();
  const { access } = appRoute.useRouteContext();
  const answer = useQuery(versionsQuery(place));
  const data = answer.data?.data;
  const serving = data ? servingOf(data) : [];
  const others = data ? othersOf(data) : [];
  const mayPublish = may(access, 'FLOW_PUBLISH');
  const { publish } = versionsRoute.useSearch();
  const navigate = versionsRoute.useNavigate();
  const heard = () => void navigate({ search: ({ publish: _, ...rest }) => rest, replace: true });
  if (isMissing(answer.data)) return <NoFlow place={place} />;
  return (
    <>
      <h1 className={styles.title}>{data?.flow?.name ?? 'Flow'}</h1>
      <FlowTabs place={place} />
      {data?.flow && <Requested flow={data.flow} mayPublish={mayPublish} mayEdit={may(access, 'FLOW_EDIT')} />}
      {serving.slice(0, watched).map(({ id, name }) => (
        <div key={id} className={styles.watch}>
          <Watch channel={id} name={name} editable={may(access, 'CHANNEL_MANAGE')} />
        </div>
      ))}
      <div className={styles.columns}>
        <Card
          title="Versions"
          actions={
            data?.flow &&
            mayPublish && (
              <Publish
                flow={data.flow}
                serving={serving}
                others={others}
                experiments={experimentsOf(data)}
                asked={publish !== undefined}
                heard={heard}
              />
            )
          }
          answer={answer}
          part={({ flow }) => flow}
          path="flow"
          waiting={{ rows: 4 }}
        >
          {(flow) => <List flow={flow} serving={serving} />}
        </Card>
        {data?.flow ? <Selected flow={data.flow} serving={serving} others={others} /> : <Waiting height={480} />}
      </div>
    </>
  );
}

function List({ flow, serving }: { flow: FlowDetail; serving: readonly Serving[] }) {
  const place = versionsRoute.useParams();
  const { version: open } = versionsRoute.useSearch();
  const errors = flow.problems.filter(({ severity }) => severity === 'ERROR').length;
  const link = { to: '/apps/$app/$environment/flows/$flow/versions', params: place } as const;
  return (
    <ol className={styles.versions}>
      <li data-open={open === undefined || undefined}>
        <Link {...link} search={{}}>
          <b>Draft</b>
        </Link>
        <small>
          saved {formatAgo(flow.updatedAt)}
          {errors > 0 && ` · ${errors} ${errors === 1 ? 'problem blocks' : 'problems block'} publishing`}
        </small>
      </li>
      {flow.versions.nodes.map(({ id, number, label, createdAt, createdBy }) => (
        <li key={id} data-open={open === id || undefined}>
          <Link {...link} search={{ version: id }}>
            <b>v{number}</b> {label}
          </Link>
          <small>
            {formatAgo(createdAt)}
            {createdBy && ` by ${createdBy.name || createdBy.email}`}
          </small>
          {serving
            .filter(({ version }) => version === id)
            .map(({ id, name, kind }) => (
              <span key={id} className={styles.serves}>
                {name}
                {kind === 'TEST' && ' (test)'}
              </span>
            ))}
        </li>
      ))}
    </ol>
  );
}

type SelectedProps = { flow: FlowDetail; serving: readonly Serving[]; others: readonly Other[] };

function Selected({ flow, serving, others }: SelectedProps) {
  const place = versionsRoute.useParams();
  const search = versionsRoute.useSearch();
  const { access } = appRoute.useRouteContext();
  const navigate = versionsRoute.useNavigate();
  const id = search.version ?? 'draft';
  const version = flow.versions.nodes.find((version) => version.id === id);
  const answer = useQuery(manifestQuery(id));
  const manifest = version ? answer.data?.data.flowVersion?.manifest : flow.draft;
  const previous = flow.versions.nodes.find(({ number }) => version === undefined || number < version.number);
  const change = (changes: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), resetScroll: false });
  const name = version ? `v${version.number}` : 'draft';
  return (
    <section className={styles.selected} aria-label={name} aria-busy={manifest === undefined && !answer.isError}>
      <div className={styles.tools}>
        <SegmentedControl
          size="xs"
          aria-label="Show as"
          value={search.as ?? 'screens'}
          onChange={(value) => change({ as: value === 'screens' ? undefined : (value as 'json' | 'compare') })}
          data={[
            { value: 'screens', label: 'Screens' },
            { value: 'json', label: 'JSON' },
            { value: 'compare', label: 'Compare' },
          ]}
        />
        {may(access, 'FLOW_EDIT') && <PreviewLink flow={flow.id} version={version?.id} />}
        <Button
          variant="default"
          disabled={manifest === undefined}
          onClick={() =>
            downloadText(`${flow.name} ${name}.json`, JSON.stringify(manifest, null, 2), 'application/json')
          }
        >
          Export JSON
        </Button>
        {version && may(access, 'CHANNEL_MANAGE') && (
          <PublishAgain key={id} flow={flow} version={version} serving={serving} others={others} />
        )}
      </div>
      {answer.isError ? (
        <Failure error={answer.error} retry={() => void answer.refetch()} />
      ) : manifest === undefined ? (
        <Waiting height={480} />
      ) : search.as === 'compare' ? (
        <Comparison flow={flow} manifest={manifest} against={search.against ?? previous?.id} except={id} />
      ) : search.as === 'json' ? (
        version ? (
          <Code
            key={id}
            label={`${name} as JSON`}
            text={JSON.stringify(manifest, null, 2)}
            height={560}
            {...(search.at && { go: { position: rangeOf(JSON.stringify(manifest, null, 2), search.at).from } })}
          />
        ) : (
          <DraftEditor
            app={place.app}
            flow={flow}
            editable={may(access, 'FLOW_EDIT') && !flow.archivedAt}
            at={search.at}
          />
        )
      ) : (
        <Screens
          manifest={manifest}
          draft={version === undefined}
          locale={search.locale}
          setLocale={(locale) => change({ locale })}
        />
      )}
    </section>
  );
}

type ComparisonProps = { flow: FlowDetail; manifest: unknown; against: string | undefined; except: string };

function Comparison({ flow, manifest, against, except }: ComparisonProps) {
  const navigate = versionsRoute.useNavigate();
  const answer = useQuery(manifestQuery(against ?? 'draft'));
  const others = [
    ...(except === 'draft' ? [] : [{ value: 'draft', label: 'Draft' }]),
    ...flow.versions.nodes
      .filter(({ id }) => id !== except)
      .map(({ id, number, label }) => ({ value: id, label: `v${number}${label && ` · ${label}`}` })),
  ];
  const named = (id: string) => {
    const version = flow.versions.nodes.find((one) => one.id === id);
    return version ? `v${version.number}` : 'Draft';
  };
  const before = against === 'draft' ? flow.draft : answer.data?.data.flowVersion?.manifest;
  if (others.length === 0) return <p className={styles.none}>No other version to compare with yet.</p>;
  return (
    <>
      <Select
        label="What has changed since"
        w={260}
        mb="md"
        value={against ?? null}
        placeholder="Choose a version"
        onChange={(value) =>
          void navigate({ search: (before) => ({ ...before, against: value ?? undefined }), resetScroll: false })
        }
        allowDeselect={false}
        data={others}
      />
      {against &&
        (before === undefined ? (
          <Waiting height={300} />
        ) : (
          <LazyCompare key={against} before={before} after={manifest} names={[named(against), named(except)]} />
        ))}
    </>
  );
}

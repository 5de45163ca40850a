import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { may, type WorkspaceAccess } from '../app/session/session';
import { conditionsQuery } from '../conditions/queries';
import { send } from '../graphql/send';
import type { Place } from '../scope/scope';
import { segmentsQuery } from '../scope/segments';
import { Card } from '../ui/Card';
import { ConfirmName } from '../ui/ConfirmName';
import { Figure } from '../ui/Figure';
import { Problem } from '../ui/Problem';
import { SegmentedControl } from '../ui/SegmentedControl';
import { useAct } from '../ui/useAct';
import { When } from '../ui/When';
import styles from './Automations.module.css';
import { DefinitionEditor } from './DefinitionEditor';
import {
  type Automation,
  activateDocument,
  archiveDocument,
  automationChanged,
  automationQuery,
  pauseDocument,
  publishDocument,
  stateNames,
} from './queries';
import type { parts } from './search';
import { TestRun } from './TestRun';
import { TroubleshootDelivery } from './TroubleshootDelivery';
import { WorkflowDiagram } from './WorkflowDiagram';
import { WorkflowEditor } from './WorkflowEditor';

const appRoute = getRouteApi('/apps/$app/$environment');
const automationRoute = getRouteApi('/apps/$app/$environment/automations/$automation');

const sections: Record<(typeof parts)[number], string> = {
  workflow: 'Workflow',
  definition: 'Definition',
  versions: 'Versions',
  delivery: 'Troubleshoot',
  'test-run': 'Test run',
};

/** What may start an automation, by id. */
function useNames(place: Place): ReadonlyMap<string, string> {
  const known = useQuery(conditionsQuery(place)).data?.data.app;
  const segments = useQuery(segmentsQuery(place)).data?.data.app?.segments?.nodes ?? [];
  const all = [...(known?.goals?.nodes ?? []), ...(known?.flows?.nodes ?? []), ...segments];
  return new Map(all.map(({ id, name }) => [id, name]));
}

/** One automation: the path through it with its figures, its definition and versions, and what it did for whom. */
export function AutomationPage() {
  const { part = 'workflow' } = automationRoute.useSearch();
  const place = automationRoute.useParams();
  const { access } = appRoute.useRouteContext();
  const navigate = automationRoute.useNavigate();
  const answer = useQuery(automationQuery(place));
  const automation = answer.data?.data.automation;
  const endpoints = new Map(answer.data?.data.app?.webhookEndpoints.map(({ id, name }) => [id, name]));
  const names = useNames(place);
  return (
    <>
      <Link className={styles.back} to="/apps/$app/$environment/automations" params={place}>
        All automations
      </Link>
      <div className={styles.head}>
        <h1 className={styles.title}>{automation?.name ?? 'Automation'}</h1>
        {automation && (
          <>
            <span className={styles.state} data-state={automation.state}>
              {stateNames[automation.state]}
            </span>
            <Acts automation={automation} access={access} />
          </>
        )}
      </div>
      <Card
        title={
          <SegmentedControl
            size="xs"
            aria-label="Sections"
            value={part}
            onChange={(value) => void navigate({ search: (before) => ({ ...before, part: value as typeof part }) })}
            data={Object.entries(sections).map(([value, label]) => ({ value, label }))}
          />
        }
        name="Automation"
        answer={answer}
        part={({ automation }) => automation}
        path="automation"
        waiting={{ height: 420 }}
      >
        {(automation) => {
          switch (part) {
            case 'workflow':
              return (
                <>
                  <Totals figures={automation.figures} />
                  {editable(automation, access) ? (
                    <WorkflowEditor
                      key={automation.id}
                      automation={automation}
                      endpoints={endpoints}
                      names={names}
                      place={place}
                    />
                  ) : (
                    <WorkflowDiagram
                      definition={automation.versions[0]?.definition ?? automation.draft}
                      figures={automation.figures}
                      endpoints={endpoints}
                      names={names}
                    />
                  )}
                </>
              );
            case 'definition':
              return (
                <DefinitionEditor key={automation.id} automation={automation} editable={editable(automation, access)} />
              );
            case 'versions':
              return <Versions versions={automation.versions} />;
            case 'delivery':
              return <TroubleshootDelivery automation={automation} access={access} endpoints={endpoints} />;
            case 'test-run':
              return <TestRun automation={automation} endpoints={endpoints} />;
          }
        }}
      </Card>
    </>
  );
}

const editable = ({ state }: Automation, access: WorkspaceAccess) =>
  state !== 'ARCHIVED' && may(access, 'ENGAGE_MANAGE');

/** Says why the draft cannot be published; undefined when it can. */
function publishRefusal(wrong: boolean, mayNotSend: boolean): string | undefined {
  if (wrong) return 'The draft has problems: see Definition';
  return mayNotSend ? 'The automation is active: publishing sends, which admins may' : undefined;
}

function Acts({ automation, access }: { automation: Automation; access: WorkspaceAccess }) {
  const { id, name, state, version, versions, draft, problems } = automation;
  const { busy, problem, act } = useAct();
  const change = (document: typeof publishDocument | typeof activateDocument | typeof pauseDocument) =>
    void act(async () => {
      await send(document, { id });
      await automationChanged();
    });
  const changed = JSON.stringify(draft) !== JSON.stringify(versions[0]?.definition);
  const wrong = problems.some(({ severity }) => severity === 'ERROR');
  const sends = state !== 'ARCHIVED' && may(access, 'ENGAGE_SEND');
  const refusal = publishRefusal(wrong, state === 'ACTIVE' && !sends);
  return (
    <div className={styles.row}>
      <Problem text={problem} />
      {editable(automation, access) && changed && (
        <Button
          variant="default"
          loading={busy !== ''}
          disabled={refusal !== undefined}
          title={refusal}
          onClick={() => change(publishDocument)}
        >
          Publish v{version + 1}
        </Button>
      )}
      {sends && (state === 'PUBLISHED' || state === 'PAUSED') && (
        <Button loading={busy !== ''} onClick={() => change(activateDocument)}>
          Activate
        </Button>
      )}
      {sends && state === 'ACTIVE' && (
        <Button variant="default" loading={busy !== ''} onClick={() => change(pauseDocument)}>
          Pause
        </Button>
      )}
      {sends && (
        <ConfirmName
          act="Archive"
          name={name}
          change={async () => {
            await send(archiveDocument, { id });
            await automationChanged();
          }}
        >
          It ends for good, also for users who are in it now. Its metrics are kept.
        </ConfirmName>
      )}
    </div>
  );
}

const totals = {
  entered: 'Entered',
  running: 'Running',
  completed: 'Completed',
  exited: 'Exited',
  failed: 'Failed',
  converted: 'Converted',
} as const satisfies Partial<Record<keyof Automation['figures'], string>>;

function Totals({ figures }: { figures: Automation['figures'] }) {
  return (
    <dl className={styles.figures}>
      {(Object.keys(totals) as (keyof typeof totals)[]).map((figure) => (
        <div key={figure}>
          <dt>{totals[figure]}</dt>
          <dd>
            <Figure value={figures[figure]} kind="count" />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Versions({ versions }: { versions: Automation['versions'] }) {
  if (versions.length === 0) return <p className={styles.note}>No version published yet.</p>;
  return (
    <ol className={styles.list}>
      {versions.map(({ number, definition, publishedAt }) => (
        <li key={number}>
          <details>
            <summary>
              <b>v{number}</b> <When at={publishedAt} />
            </summary>
            <pre className={styles.code}>{JSON.stringify(definition, null, 2)}</pre>
          </details>
        </li>
      ))}
    </ol>
  );
}

import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Failure } from '../ui/Failure';
import { Figure } from '../ui/Figure';
import { SegmentedControl } from '../ui/SegmentedControl';
import { Waiting } from '../ui/Waiting';
import { When } from '../ui/When';
import styles from './Automations.module.css';
import { cardName } from './cards';
import { type Automation, type TestRunReport, testRunQuery } from './queries';
import { testRunDays } from './search';

const automationRoute = getRouteApi('/apps/$app/$environment/automations/$automation');

/** What the draft would have sent, had it been active in the last days. */
export function TestRun({ automation, endpoints }: { automation: Automation; endpoints: ReadonlyMap<string, string> }) {
  const { days } = automationRoute.useSearch();
  const navigate = automationRoute.useNavigate();
  const answer = useQuery({ ...testRunQuery(automation.id, Number(days)), enabled: days !== undefined });
  const choose = (value: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, days: value as typeof days }) });
  if (automation.problems.some(({ severity }) => severity === 'ERROR'))
    return <p className={styles.note}>The draft has problems: fix them under Definition first.</p>;
  return (
    <div className={styles.section}>
      <p className={styles.note}>
        Plays recent events through the draft and sends nothing. Users are taken with their current profile.
      </p>
      <div className={styles.row}>
        <SegmentedControl
          size="xs"
          aria-label="Days"
          value={days ?? ''}
          onChange={choose}
          data={testRunDays.map((value) => ({ value, label: value === '1' ? '1 day' : `${value} days` }))}
        />
        {days && (
          <Button variant="subtle" loading={answer.isFetching} onClick={() => void answer.refetch()}>
            Run again
          </Button>
        )}
      </div>
      {days && answer.isError && <Failure error={answer.error} retry={() => void answer.refetch()} />}
      {days && !answer.data && !answer.isError && <Waiting rows={6} />}
      {days && answer.data?.data.automation && (
        <Played
          report={answer.data.data.automation.testRun}
          nameOf={(node) => cardName(automation.draft, node, endpoints)}
        />
      )}
    </div>
  );
}

function Played({ report, nameOf }: { report: TestRunReport; nameOf: (node: string) => string }) {
  const { from, to, events, complete, entered, exited, waiting, messages, skipped, examples } = report;
  return (
    <>
      <dl className={styles.figures}>
        {Object.entries({
          Events: events,
          'Would enter': entered,
          'Messages it would send': messages,
          'Would exit': exited,
          'Would still be waiting': waiting,
        }).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Figure value={value} kind="count" />
            </dd>
          </div>
        ))}
      </dl>
      <p className={styles.note}>
        From <When at={from} /> to <When at={to} />.{!complete && ' There were more events than a test run reads.'}
      </p>
      {skipped.length > 0 && (
        <ul className={styles.list} aria-label="Not sent">
          {skipped.map(({ result, reason, count }) => (
            <li key={`${result} ${reason}`}>
              {count} {result}
              {reason && `: ${reason.replaceAll('_', ' ')}`}
            </li>
          ))}
        </ul>
      )}
      <ol className={styles.list} aria-label="Messages">
        {examples.map(({ appUserId, node, at, body }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one person may get the same message twice
          <li key={i}>
            <details open={i === 0}>
              <summary>
                <span className={styles.line}>
                  <b>{appUserId}</b>
                  <span>{nameOf(node)}</span>
                  <When at={at} />
                </span>
              </summary>
              <Message body={body} />
            </details>
          </li>
        ))}
      </ol>
    </>
  );
}

/** A message as it would be sent: an email in plain text, a webhook as its JSON. */
function Message({ body }: { body: unknown }) {
  if (typeof body === 'object' && body !== null && 'text' in body && 'email' in body && 'subject' in body)
    return (
      <>
        <p className={styles.note}>
          To {String(body.email)}: <b>{String(body.subject)}</b>
        </p>
        <pre className={styles.code}>{String(body.text)}</pre>
      </>
    );
  return <pre className={styles.code}>{JSON.stringify(body, null, 2)}</pre>;
}

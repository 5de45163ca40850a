import { Button, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { may, type WorkspaceAccess } from '../app/session/session';
import { send } from '../graphql/send';
import { Failure } from '../ui/Failure';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { Waiting } from '../ui/Waiting';
import { When } from '../ui/When';
import styles from './Automations.module.css';
import { cardName } from './cards';
import { type Automation, addPeopleDocument, automationChanged, type Explanation, explanationQuery } from './queries';

const automationRoute = getRouteApi('/apps/$app/$environment/automations/$automation');

type Props = { automation: Automation; access: WorkspaceAccess; endpoints: ReadonlyMap<string, string> };

/** Why a user got a message or did not; and adding users manually. */
export function TroubleshootDelivery({ automation, access, endpoints }: Props) {
  const { person } = automationRoute.useSearch();
  const navigate = automationRoute.useNavigate();
  const [typed, setTyped] = useState(person ?? '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ search: (before) => ({ ...before, person: typed.trim() || undefined }) });
  };
  return (
    <div className={styles.cards}>
      <form className={styles.row} onSubmit={submit}>
        <TextInput
          label="Troubleshoot delivery"
          placeholder="User id"
          required
          maxLength={200}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button type="submit" variant="default">
          Explain
        </Button>
      </form>
      {person && <Explained automation={automation} person={person} endpoints={endpoints} />}
      {automation.state === 'ACTIVE' && may(access, 'ENGAGE_SEND') && <AddUsers automation={automation.id} />}
    </div>
  );
}

function Explained({ automation, person, endpoints }: Omit<Props, 'access'> & { person: string }) {
  const answer = useQuery(explanationQuery(automation.id, person));
  const nameOf = (version: number, node: string) => {
    const entered = automation.versions.find(({ number }) => number === version);
    return cardName(entered?.definition, node, endpoints);
  };
  if (answer.isError) return <Failure error={answer.error} retry={() => void answer.refetch()} />;
  const explanation = answer.data?.data.automation?.explanation;
  if (!explanation) return <Waiting rows={6} />;
  return (
    <section className={styles.section} aria-label={`Path of ${person}`}>
      <p className={styles.note}>{entryWords(explanation)}</p>
      <ol className={styles.list}>
        {explanation.entries.map((entry) => (
          <li key={entry.enteredAt}>
            <div className={styles.line}>
              <span className={styles.state} data-state={entry.state}>
                {entry.state}
              </span>
              <b>
                {entry.event ? `by ${entry.event}` : 'added manually'} into version {entry.version}
              </b>
              {entry.reason && <small>{entry.reason.replaceAll('_', ' ')}</small>}
              <When at={entry.enteredAt} />
            </div>
            {entry.dueAt && (
              <small>
                Waiting at {nameOf(entry.version, entry.node ?? '')} until <When at={entry.dueAt} />
              </small>
            )}
            {entry.convertedAt && (
              <small>
                Converted <When at={entry.convertedAt} />
              </small>
            )}
            <ol className={styles.list}>
              {entry.steps.map(({ node, result, reason, at }, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: steps only grow at the end
                <li key={i} className={styles.line}>
                  <span>{nameOf(entry.version, node)}</span>
                  <span>
                    {result}
                    {reason && `: ${reason.replaceAll('_', ' ')}`}
                  </span>
                  <When at={at} />
                </li>
              ))}
              {entry.deliveries.map(({ id, node, state, attempts, log }) => (
                <li key={id} className={styles.line}>
                  <span>{nameOf(entry.version, node)}</span>
                  <span>
                    message {state.toLowerCase()} after {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
                    {log[0] && (log[0].error ? `: ${log[0].error}` : `: answered ${log[0].status}`)}
                  </span>
                </li>
              ))}
            </ol>
          </li>
        ))}
        {explanation.entries.length === 0 && <li>This user never entered.</li>}
      </ol>
    </section>
  );
}

/** Whether the person may enter now, in words. */
function entryWords({ state, never, mayEnterAt, marketingConsent }: Explanation) {
  const consent = `Marketing consent: ${marketingConsent.toLowerCase() || 'unknown'}.`;
  if (state !== 'ACTIVE') return `No user can enter: the automation is ${state.toLowerCase()}. ${consent}`;
  if (never) return `Has entered and cannot enter again. ${consent}`;
  return (
    <>
      {mayEnterAt ? (
        <>
          Can enter again from <When at={mayEnterAt} />.
        </>
      ) : (
        'Can enter now.'
      )}{' '}
      {consent}
    </>
  );
}

function AddUsers({ automation }: { automation: string }) {
  const [people, setPeople] = useState('');
  const [entered, setEntered] = useState<number>();
  const { busy, problem, run } = useAct();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setEntered(undefined);
    const ids = people.split(/\s+/).filter(Boolean);
    const done = await run(() => send(addPeopleDocument, { id: automation, people: ids }));
    if (!done) return;
    setEntered(done.data.addPeopleToAutomation.entered);
    setPeople('');
    await automationChanged();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <Textarea
        className={styles.wide}
        label="Add users manually"
        description="User ids, one per line, at most 1,000. Real messages are sent."
        required
        autosize
        minRows={2}
        maxRows={8}
        value={people}
        onChange={(event) => setPeople(event.target.value)}
      />
      <Problem text={problem} />
      {entered !== undefined && <p role="status">{entered} entered.</p>}
      <Button type="submit" variant="default" loading={busy !== ''}>
        Add users
      </Button>
    </form>
  );
}

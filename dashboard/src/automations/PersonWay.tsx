import { Button, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { may, type WorkspaceAccess } from '../app/session/session';
import { send } from '../graphql/send';
import { Failure, Waiting } from '../ui/Card';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { When } from '../ui/When';
import styles from './Automations.module.css';
import { type Automation, automationChanged, type Explanation, enrolDocument, explanationQuery } from './queries';

const automationRoute = getRouteApi('/apps/$app/$environment/automations/$automation');

/** Why somebody got a message, or did not; and enrolling people by hand. */
export function PersonWay({ automation, access }: { automation: Automation; access: WorkspaceAccess }) {
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
          label="Why did this person get it, or not?"
          placeholder="App user id"
          required
          maxLength={200}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button type="submit" variant="default">
          Explain
        </Button>
      </form>
      {person && <Explained automation={automation.id} person={person} />}
      {automation.state === 'ACTIVE' && may(access, 'ENGAGE_SEND') && <Enrol automation={automation.id} />}
    </div>
  );
}

function Explained({ automation, person }: { automation: string; person: string }) {
  const answer = useQuery(explanationQuery(automation, person));
  if (answer.isError) return <Failure error={answer.error} retry={() => void answer.refetch()} />;
  const explanation = answer.data?.data.automation?.explanation;
  if (!explanation) return <Waiting rows={6} />;
  return (
    <section className={styles.section} aria-label={`Way of ${person}`}>
      <p className={styles.note}>{entryWords(explanation)}</p>
      <ol className={styles.list}>
        {explanation.enrolments.map((enrolment) => (
          <li key={enrolment.enteredAt}>
            <div className={styles.line}>
              <span className={styles.state} data-state={enrolment.state}>
                {enrolment.state}
              </span>
              <b>
                {enrolment.event ? `by ${enrolment.event}` : 'by hand'} into v{enrolment.version}
              </b>
              {enrolment.reason && <small>{enrolment.reason.replaceAll('_', ' ')}</small>}
              <When at={enrolment.enteredAt} />
            </div>
            {enrolment.dueAt && (
              <small>
                Waits at {enrolment.node} until <When at={enrolment.dueAt} />
              </small>
            )}
            {enrolment.convertedAt && (
              <small>
                Reached the goal <When at={enrolment.convertedAt} />
              </small>
            )}
            <ol className={styles.list}>
              {enrolment.steps.map(({ node, result, reason, at }, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: steps only grow at the end
                <li key={i} className={styles.line}>
                  <code>{node}</code>
                  <span>
                    {result}
                    {reason && `: ${reason.replaceAll('_', ' ')}`}
                  </span>
                  <When at={at} />
                </li>
              ))}
              {enrolment.deliveries.map(({ id, node, state, attempts, log }) => (
                <li key={id} className={styles.line}>
                  <code>{node}</code>
                  <span>
                    message {state.toLowerCase()} after {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
                    {log[0] && (log[0].error ? `: ${log[0].error}` : `: answered ${log[0].status}`)}
                  </span>
                </li>
              ))}
            </ol>
          </li>
        ))}
        {explanation.enrolments.length === 0 && <li>This person never entered.</li>}
      </ol>
    </section>
  );
}

/** Whether the person may enter now, in words. */
function entryWords({ state, never, mayEnterAt, marketingConsent }: Explanation) {
  const consent = `Marketing consent: ${marketingConsent.toLowerCase() || 'unknown'}.`;
  if (state !== 'ACTIVE') return `Nobody enters: the automation is ${state.toLowerCase()}. ${consent}`;
  if (never) return `Has entered and may not enter again. ${consent}`;
  return (
    <>
      {mayEnterAt ? (
        <>
          May enter again from <When at={mayEnterAt} />.
        </>
      ) : (
        'May enter at once.'
      )}{' '}
      {consent}
    </>
  );
}

function Enrol({ automation }: { automation: string }) {
  const [people, setPeople] = useState('');
  const [entered, setEntered] = useState<number>();
  const { busy, problem, run } = useAct();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setEntered(undefined);
    const ids = people.split(/\s+/).filter(Boolean);
    const done = await run(() => send(enrolDocument, { id: automation, people: ids }));
    if (!done) return;
    setEntered(done.data.enrolPeople.entered);
    setPeople('');
    await automationChanged();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <Textarea
        className={styles.wide}
        label="Enrol people by hand"
        description="App user ids, one a line, at most 1,000. Real messages are sent."
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
        Enrol
      </Button>
    </form>
  );
}

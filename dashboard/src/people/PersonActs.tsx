import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { queryClient } from '../graphql/query';
import type { Place } from '../scope/scope';
import card from '../ui/Card.module.css';
import { downloadText } from '../ui/csv';
import { Failure } from '../ui/Failure';
import { formatExact } from '../ui/format';
import styles from './People.module.css';
import { type Erased, erasePerson, exportPerson, type Who } from './queries';

type Step =
  | { at: 'idle' }
  | { at: 'asked'; typed: string }
  | { at: 'busy'; what: 'export' | 'erase' }
  | { at: 'failed'; error: unknown }
  | { at: 'erased'; erased: Erased };

/** What somebody may ask for: all that is stored of them, or that nothing is. Erasing asks for the name first. */
export function PersonActs({ place, who }: { place: Place; who: Who }) {
  const [step, setStep] = useState<Step>({ at: 'idle' });
  const name = who.custom ?? who.device ?? '';
  const save = async () => {
    setStep({ at: 'busy', what: 'export' });
    try {
      downloadText(`${name}.jsonl`, await exportPerson(place, who), 'application/x-ndjson');
      setStep({ at: 'idle' });
    } catch (error) {
      setStep({ at: 'failed', error });
    }
  };
  const erase = async () => {
    setStep({ at: 'busy', what: 'erase' });
    try {
      setStep({ at: 'erased', erased: await erasePerson(place, who) });
      await queryClient.invalidateQueries({ queryKey: ['People'] });
    } catch (error) {
      setStep({ at: 'failed', error });
    }
  };
  return (
    <section className={card.card}>
      <div className={card.head}>
        <h2 className={card.title}>Privacy requests</h2>
      </div>
      <div className={card.body}>
        {step.at === 'failed' && <Failure error={step.error} retry={() => setStep({ at: 'idle' })} />}
        {step.at === 'erased' ? (
          <p role="status">
            {step.erased.finishedAt ? 'Erased.' : 'The rest is being erased; reports update within minutes.'}{' '}
            {step.erased.removed.map(({ table, rows }) => `${formatExact(rows, 'count')} of ${table}`).join(', ')}
          </p>
        ) : (
          <div className={styles.acts}>
            <Button
              variant="default"
              loading={step.at === 'busy' && step.what === 'export'}
              onClick={() => void save()}
            >
              Export all data
            </Button>
            {step.at === 'asked' ? (
              <form
                onSubmit={(event) => {
                  event.preventDefault();
                  if (step.typed === name) void erase();
                }}
              >
                <p>
                  All data of this user is deleted for good, on all devices; purchases stay in the books without the
                  user. Type <code>{name}</code> to continue.
                </p>
                <TextInput
                  aria-label="User id"
                  data-autofocus
                  value={step.typed}
                  onChange={(event) => setStep({ at: 'asked', typed: event.target.value })}
                />
                <div className={styles.acts}>
                  <Button type="submit" color="red" disabled={step.typed !== name}>
                    Erase permanently
                  </Button>
                  <Button variant="default" onClick={() => setStep({ at: 'idle' })}>
                    Cancel
                  </Button>
                </div>
              </form>
            ) : (
              <Button
                variant="default"
                loading={step.at === 'busy' && step.what === 'erase'}
                onClick={() => setStep({ at: 'asked', typed: '' })}
              >
                Erase…
              </Button>
            )}
          </div>
        )}
      </div>
    </section>
  );
}

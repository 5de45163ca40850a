import { Button } from '@mantine/core';
import { useState } from 'react';
import { send } from '../graphql/send';
import { Code } from '../ui/Code';
import { Findings } from '../ui/Findings';
import { Problem } from '../ui/Problem';
import { rangeOf } from '../ui/pointer';
import { Unsaved } from '../ui/Unsaved';
import { useAct } from '../ui/useAct';
import { useDraft } from '../ui/useDraft';
import styles from './Automations.module.css';
import { type Automation, automationChanged, saveDocument } from './queries';

/** The draft as JSON, with what keeps it from being published. */
export function DefinitionEditor({ automation, editable }: { automation: Automation; editable: boolean }) {
  const { draft, changed, type, sent, undo } = useDraft({ text: JSON.stringify(automation.draft, null, 2) });
  const { text } = draft;
  const [broken, setBroken] = useState('');
  const [go, setGo] = useState<{ position: number }>();
  const { act, busy, problem } = useAct();
  const save = async () => {
    let definition: unknown;
    try {
      definition = JSON.parse(text);
      setBroken('');
    } catch (error) {
      setBroken(`This is not valid JSON. Your input is kept. ${error instanceof Error ? error.message : ''}`);
      return;
    }
    await act(async () => {
      await send(saveDocument, { id: automation.id, definition });
      await automationChanged();
      sent(draft);
    });
  };
  return (
    <div className={styles.section}>
      <Unsaved changed={changed} what="the definition" />
      <Code
        label="Definition"
        text={text}
        height={480}
        go={go}
        {...(editable && { change: (text: string) => type({ text }) })}
      />
      <Findings findings={automation.problems} go={(pointer) => setGo({ position: rangeOf(text, pointer).from })} />
      <Problem text={broken || problem} />
      {editable && (
        <div className={styles.row}>
          <Button loading={busy !== ''} disabled={!changed} onClick={() => void save()}>
            Save draft
          </Button>
          {changed && (
            <Button variant="subtle" onClick={undo}>
              Discard changes
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

import { nodeOf } from '../../document/document';
import { isStep, writtenEnd } from '../../document/exits';
import type { Json } from '../../document/operation';
import { stepsIn } from '../../steps';
import { useEditing } from '../../useEditor';
import { ChoiceInput } from './ChoiceInput';

type Props = {
  id: string;
  path: readonly string[];
  value: Json | undefined;
  change: (to: string | undefined) => void;
};

/** What nothing written means, by what leads there. */
const nothing: Record<string, string> = {
  entryScreenId: 'Choose a step',
  fallback: 'Choose a step',
  fallbackScreenId: 'No screen',
  outcomes: 'As otherwise',
};

/** A step that something leads to: any, or for a way back a screen. Of paywalls the end of the flow has to be said. */
export function TargetInput({ id, path, value, change }: Props) {
  const { editor } = useEditing();
  const { document } = editor;
  const [first = ''] = path;
  const steps = stepsIn(document.flow).filter(({ value }) => {
    const kind = nodeOf(document, value)?.kind;
    return first === 'fallbackScreenId' ? kind === 'screen' : isStep(kind);
  });
  const ends = /^(outcomes|fallback)$/.test(first) || value === writtenEnd;
  return (
    <ChoiceInput
      id={id}
      value={typeof value === 'string' ? value : undefined}
      options={ends ? [...steps, { value: writtenEnd, label: 'End of the flow' }] : steps}
      none={nothing[first] ?? 'End of the flow'}
      change={change}
    />
  );
}

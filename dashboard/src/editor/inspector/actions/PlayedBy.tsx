import { backgroundOf, layersBeside, playsMedia, setTrigger } from '../../document/commands/actions';
import type { Json, NodeId } from '../../document/operation';
import { nameOf } from '../../names';
import { useEditing, useEditorValue } from '../../useEditor';
import { ChoiceInput } from '../controls/ChoiceInput';

type Props = { id: string; node: NodeId; background: boolean; value: Json | undefined };

/** The button that starts an animation, a video, or the background of a screen. */
export function PlayedBy({ id, node, background, value }: Props) {
  const { editor, say } = useEditing();
  const document = useEditorValue(({ document }) => document);
  const buttons = layersBeside(document, node, ['button']).filter(playsMedia);
  return (
    <ChoiceInput
      id={id}
      value={typeof value === 'string' ? value : undefined}
      none="By itself"
      options={buttons.map(({ id, object, kind }) => ({ value: id, label: nameOf(object, kind) }))}
      change={(to) =>
        say(editor.run(setTrigger, { player: background ? backgroundOf(node) : node, button: to ?? null }))
      }
    />
  );
}

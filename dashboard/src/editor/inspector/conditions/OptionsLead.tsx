import { Icon } from '../../../ui/Icon';
import { find, isObject } from '../../document/canonical';
import { addOption } from '../../document/commands/addOption';
import { nodeOf } from '../../document/document';
import { optionWords } from '../../document/exits';
import type { JsonObject, NodeId } from '../../document/operation';
import { stepsIn } from '../../steps';
import { useEditing } from '../../useEditor';
import { ChoiceInput } from '../controls/ChoiceInput';
import styles from './Conditions.module.css';

/** Where each option of a choice leads: to a step of its own, or to what follows the screen. */
export function OptionsLead({ id, object }: { id: NodeId; object: JsonObject }) {
  const { editor, canEdit, say } = useEditing();
  const node = nodeOf(editor.document, id);
  const bindings = (Array.isArray(object.optionBindings) ? object.optionBindings : []).filter(isObject);
  const listed = find(object, ['branching', 'conditions']);
  const conditions = (Array.isArray(listed) ? listed : []).filter(isObject);
  const enabled = find(object, ['branching', 'enabled']) === true;
  if (!node) return null;
  const lead = (option: string, to: string | undefined) => {
    const others = (enabled ? conditions : []).filter(({ choiceId }) => choiceId !== option);
    const ways = to === undefined ? others : [...others, { choiceId: option, goTo: to }];
    const value = { ...(isObject(object.branching) && object.branching), enabled: ways.length > 0, conditions: ways };
    editor.runStep({ name: '', operations: [{ op: 'set', node: id, path: ['branching'], value }] });
  };
  return (
    <fieldset className={styles.options} aria-label="Where options lead">
      {bindings.map(({ optionId }) => {
        const option = String(optionId);
        const way = enabled ? conditions.find(({ choiceId }) => choiceId === option)?.goTo : undefined;
        const words = optionWords(node, option) || option;
        return (
          <div key={option} className={styles.leads}>
            <span title={words}>{words}</span>
            <ChoiceInput
              label={`“${words}” leads to`}
              value={typeof way === 'string' ? way : undefined}
              none="Next screen"
              options={stepsIn(editor.document.flow)}
              change={(to) => lead(option, to)}
            />
          </div>
        );
      })}
      {canEdit && (
        <button type="button" className={styles.add} onClick={() => say(editor.run(addOption, { node: id }))}>
          <Icon name="plus" size={12} /> Option
        </button>
      )}
    </fieldset>
  );
}

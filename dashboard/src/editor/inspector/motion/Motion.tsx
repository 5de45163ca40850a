import type { NodeId } from '../../document/operation';
import { screenOf } from '../../document/selection';
import { useEditing } from '../../useEditor';
import { Clips } from './Clips';
import styles from './Motion.module.css';
import { RestingMotions } from './RestingMotions';

/** What moves: of a screen all its animations, of a layer its own, and what it does after them. */
export function Motion({ id, kind }: { id: NodeId; kind: string }) {
  const { editor } = useEditing();
  if (kind === 'screen') return <Clips screen={id} />;
  const screen = screenOf(editor.document, id);
  return (
    <div className={styles.motion}>
      {screen !== null && <Clips screen={screen} target={id} />}
      <RestingMotions id={id} />
    </div>
  );
}

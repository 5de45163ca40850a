import { Fragment, useState } from 'react';
import { SegmentedControl } from '../../ui/SegmentedControl';
import { canDiffer, pathAt } from '../breakpoints';
import { InstancePanel } from '../components/InstancePanel';
import { find } from '../document/canonical';
import { instanceOf } from '../document/components/marks';
import { isLayer, nodeOf } from '../document/document';
import type { JsonObject, NodeId } from '../document/operation';
import { KindIcon } from '../KindIcon';
import { statesOf } from '../layerStates';
import { kindName, nameOf } from '../names';
import { ProblemsHere } from '../problems/Problems';
import { applies, type Control, type Property, propertiesOf, requiredOf, type Section, sections } from '../properties';
import { useEditing, useNode, useSelection } from '../useEditor';
import { isSeldom } from './common';
import { AnswerLeads } from './conditions/AnswerLeads';
import { Cases } from './conditions/Cases';
import { NextStep } from './conditions/NextStep';
import { ShowWhen } from './conditions/ShowWhen';
import { ForcedState } from './ForcedState';
import styles from './Inspector.module.css';
import { Motion } from './motion/Motion';
import { NodeJson } from './NodeJson';
import { PropertyField } from './PropertyField';
import { Regions } from './Regions';
import { SeveralLayers } from './SeveralLayers';
import { WheelOptions } from './WheelOptions';
import { Widths } from './Widths';

/** What is selected, with everything that it can be: a layer, else the screen, else the flow. */
export function Inspector() {
  const { nodes, screen } = useSelection();
  if (nodes.length > 1) return <SeveralLayers key={nodes.join()} ids={nodes} />;
  const id = nodes[0] ?? screen ?? 'flow';
  return <NodeInspector key={id} id={id} />;
}

function NodeInspector({ id }: { id: NodeId }) {
  const { editor, canEdit, breakpoint } = useEditing();
  const object = useNode(id);
  const [as, setAs] = useState<'design' | 'json'>('design');
  const node = nodeOf(editor.document, id);
  if (!object || !node) return null;
  const name = id === 'flow' ? 'Flow' : nameOf(object, node.kind, node.slot);
  const kind = kindName(node.kind);
  const instance = instanceOf(editor.document, id);
  const properties = (
    <fieldset disabled={!canEdit} className={styles.sections} aria-label={`Properties of ${name}`}>
      {sections.map((section) => (
        <Fragment key={section}>
          <SectionView id={id} object={object} section={section} kind={node.kind} showJson={() => setAs('json')} />
          {section === 'Actions' && !breakpoint && isLayer(node.kind) && <AnswerLeads id={id} />}
          {section === 'Actions' && !breakpoint && isLayer(node.kind) && <ShowWhen id={id} name={name} />}
        </Fragment>
      ))}
      {breakpoint && <p className={styles.same}>Everything else is the same at all widths.</p>}
    </fieldset>
  );
  return (
    <>
      <div className={styles.top}>
        <header className={styles.head}>
          <KindIcon kind={node.kind === 'flow' ? 'screen' : node.kind} />
          <h2 title={name}>{name}</h2>
          {name !== kind && <small>{kind}</small>}
        </header>
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label="Show as"
          value={as}
          onChange={(value) => setAs(value as 'design' | 'json')}
          data={[
            { value: 'design', label: 'Properties' },
            { value: 'json', label: 'JSON' },
          ]}
          className={styles.as}
        />
      </div>
      {as === 'design' && canDiffer(node.kind) && <Widths />}
      <ProblemsHere id={id} />
      {as === 'json' ? (
        <NodeJson id={id} name={name} />
      ) : instance ? (
        <InstancePanel id={id} instance={instance}>
          {properties}
        </InstancePanel>
      ) : (
        properties
      )}
    </>
  );
}

const hasControl = (property: Property): property is Property & { control: Control } => 'is' in property.control;

type SectionProps = { id: NodeId; object: JsonObject; kind: string; section: Section; showJson: () => void };

function SectionView({ id, object, kind, section, showJson }: SectionProps) {
  const { editor, breakpoint } = useEditing();
  const all = propertiesOf(kind).filter((property) => property.section === section);
  const decides = section === 'Actions' && (kind === 'decision' || kind === 'conditional');
  const shown = all.filter(hasControl).filter((property) => applies(property, object, kind) && !decides);
  // What widths have of their own is set by the controls of what holds at all of them.
  const set = all.filter(
    ({ path, control }) => 'json' in control && control.json !== 'by breakpoint' && object[path[0]!] !== undefined,
  );
  const moves = section === 'Motion' && (kind === 'screen' || isLayer(kind));
  // What is seldom used is folded while it is not set. Where a value comes or goes, its control stays.
  const [folded] = useState(() => shown.filter(({ path }) => isSeldom(path) && find(object, path) === undefined));
  const states = section === 'States' && isLayer(kind) && statesOf(editor.document, id).length > 0;
  const field = ({ path, control }: (typeof shown)[number]) => (
    <PropertyField
      key={path.join('/')}
      kind={kind}
      node={id}
      object={object}
      path={path}
      control={control}
      required={requiredOf(kind).has(path[0]!)}
    />
  );
  if (breakpoint) {
    const here = shown.filter(({ path }) => pathAt(kind, path, breakpoint));
    if (here.length === 0) return null;
    return (
      <details open className={styles.section}>
        <summary>{section}</summary>
        {here.map(field)}
      </details>
    );
  }
  if (shown.length === 0 && set.length === 0 && !decides && !moves && !states) return null;
  return (
    <details open={section !== 'States' && section !== 'Motion'} className={styles.section}>
      <summary>{section}</summary>
      {states && <ForcedState id={id} />}
      {shown.filter((one) => !folded.includes(one)).map(field)}
      {folded.length > 0 && (
        <details className={styles.seldom}>
          <summary>More</summary>
          {shown.filter((one) => folded.includes(one)).map(field)}
        </details>
      )}
      {decides && <Cases id={id} />}
      {section === 'Actions' && kind === 'screen' && <NextStep id={id} />}
      {section === 'Content' && kind === 'screen' && <Regions id={id} />}
      {section === 'Content' && kind === 'wheel_picker' && <WheelOptions id={id} />}
      {moves && <Motion id={id} kind={kind} />}
      {set.length > 0 && (
        <button type="button" className={styles.more} onClick={showJson}>
          {set.length} more in JSON
        </button>
      )}
    </details>
  );
}

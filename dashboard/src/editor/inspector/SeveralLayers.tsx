import { useMemo } from 'react';
import { canDiffer, pathAt } from '../breakpoints';
import { useMayChange } from '../components/useMayChange';
import { find } from '../document/canonical';
import type { JsonObject, NodeId } from '../document/operation';
import { KindIcon } from '../KindIcon';
import { kindName } from '../names';
import { sections } from '../properties';
import { useEditing, useEditorValue } from '../useEditor';
import { alike, type CommonProperty, differing, isRequired, isSeldom, propertiesOfAll } from './common';
import styles from './Inspector.module.css';
import { PropertyField } from './PropertyField';
import { Widths } from './Widths';

/** What several layers have in common: one change is made to all of them, and is one undo. */
export function SeveralLayers({ ids }: { ids: readonly NodeId[] }) {
  const { editor, canEdit, breakpoint } = useEditing();
  const flow = useEditorValue(({ document }) => document.flow);
  const may = useMayChange(ids);
  // biome-ignore lint/correctness/useExhaustiveDependencies: objects are other ones when the flow is
  const layers = useMemo(() => ids.map((id) => editor.object(id) ?? {}), [editor, ids, flow]);
  const also = useMemo(() => ids.slice(1), [ids]);
  const shared = useMemo(() => alike(layers), [layers]);
  const kinds = [...new Set(layers.map(({ kind }) => String(kind)))];
  const shown = propertiesOfAll(layers).filter(
    ({ path }) => may(path) && (!breakpoint || placesAt(kinds, path, breakpoint)),
  );
  return (
    <>
      <header className={`${styles.top} ${styles.head}`}>
        <KindIcon kind={kinds.length === 1 ? kinds[0]! : 'stack'} />
        <h2>{layers.length} layers</h2>
        <small title={kinds.map(kindName).join(', ')}>
          {kinds.length === 1 ? kindName(kinds[0]!) : 'Several kinds'}
        </small>
      </header>
      {kinds.every(canDiffer) && <Widths />}
      <fieldset disabled={!canEdit} className={styles.sections} aria-label={`Properties of ${layers.length} layers`}>
        {sections.map((section) => {
          const here = shown.filter((property) => property.section === section);
          const seldom = here.filter(
            ({ path }) => isSeldom(path) && layers.every((one) => find(one, path) === undefined),
          );
          return (
            <Fields
              key={section}
              section={section}
              {...{ ids, also, layers, shared, seldom, kind: kinds[0]! }}
              often={here.filter((one) => !seldom.includes(one))}
            />
          );
        })}
        {shown.length === 0 && <p className={styles.same}>These layers have no property in common.</p>}
      </fieldset>
    </>
  );
}

type FieldsProps = {
  section: string;
  ids: readonly NodeId[];
  also: readonly NodeId[];
  layers: readonly JsonObject[];
  shared: JsonObject;
  kind: string;
  often: readonly CommonProperty[];
  seldom: readonly CommonProperty[];
};

function Fields({ section, ids, also, layers, shared, kind, often, seldom }: FieldsProps) {
  const { breakpoint } = useEditing();
  if (often.length + seldom.length === 0) return null;
  const field = ({ path, control }: CommonProperty) => (
    <PropertyField
      key={path.join('/')}
      node={ids[0]!}
      also={also}
      object={shared}
      path={path}
      control={control}
      kind={kind}
      required={isRequired(layers, path)}
      mixed={differing(layers, (breakpoint && pathAt(kind, path, breakpoint)) ?? path, control)}
    />
  );
  return (
    <details open={section !== 'States' && section !== 'Motion'} className={styles.section}>
      <summary>{section}</summary>
      {often.map(field)}
      {seldom.length > 0 && (
        <details className={styles.seldom}>
          <summary>More</summary>
          {seldom.map(field)}
        </details>
      )}
    </details>
  );
}

/** Whether layers of each kind keep at one place what a property is from a width on. */
function placesAt(kinds: readonly string[], path: readonly string[], at: Parameters<typeof pathAt>[2]): boolean {
  const places = kinds.map((kind) => pathAt(kind, path, at)?.join('/'));
  return places.every((place) => place !== undefined && place === places[0]);
}

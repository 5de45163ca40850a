import { Button, Popover, Select, TextInput } from '@mantine/core';
import { useId } from 'react';
import { keyWords } from '../../sentences/words';
import { type Attribute, asksPermission, attributesOf } from '../attributes';
import { useNode } from '../useEditor';
import styles from './Preview.module.css';
import type { Given } from './port';

export type Tells = Pick<Given, 'attributes' | 'permission'>;

const yesOrNo = [
  { value: 'yes', label: 'Yes' },
  { value: 'no', label: 'No' },
];
const permissions = [
  { value: 'granted', label: 'Allows it' },
  { value: 'denied', label: 'Denies it' },
];

/** Who goes through the flow: what the app tells of them, and what they answer the system. Nothing where the flow asks for
 * nothing of it. */
export function Person({ tells, setTells }: { tells: Tells; setTells: (tells: Tells) => void }) {
  const flow = useNode('flow')!;
  const attributes = attributesOf(flow);
  const asks = asksPermission(flow);
  if (attributes.length === 0 && !asks) return null;
  const set = (key: string, value: string | number | boolean | undefined) => {
    const { [key]: _, ...others } = tells.attributes;
    setTells({ ...tells, attributes: value === undefined ? others : { ...others, [key]: value } });
  };
  return (
    <Popover position="bottom-end" width={280} trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" size="xs">
          User
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={styles.person} aria-label="User">
        {attributes.map((one) => (
          <AttributeInput
            key={one.key}
            attribute={one}
            value={tells.attributes[one.key]}
            set={(to) => set(one.key, to)}
          />
        ))}
        {asks && (
          <Select
            label="When asked for a permission"
            size="xs"
            value={tells.permission}
            allowDeselect={false}
            onChange={(value) => setTells({ ...tells, permission: value as Given['permission'] })}
            data={permissions}
          />
        )}
        <p className={styles.none}>What has been decided stays. Restart to decide anew.</p>
      </Popover.Dropdown>
    </Popover>
  );
}

type InputProps = {
  attribute: Attribute;
  value: string | number | boolean | undefined;
  set: (value: string | number | boolean | undefined) => void;
};

function AttributeInput({ attribute: { key, type, values }, value, set }: InputProps) {
  const shown = { label: keyWords(key), placeholder: 'Not told', size: 'xs' } as const;
  const list = useId();
  switch (type) {
    case 'yes':
      return (
        <Select
          {...shown}
          clearable
          clearButtonProps={{ 'aria-label': `Do not tell ${shown.label}` }}
          value={value === undefined ? null : value ? 'yes' : 'no'}
          onChange={(to) => set(to === null ? undefined : to === 'yes')}
          data={yesOrNo}
        />
      );
    case 'number':
      return (
        <TextInput
          {...shown}
          type="number"
          step="any"
          value={typeof value === 'number' ? value : ''}
          onChange={({ currentTarget: { value: to, valueAsNumber } }) => set(to === '' ? undefined : valueAsNumber)}
        />
      );
    case 'text':
      return (
        <>
          <TextInput
            {...shown}
            maxLength={1000}
            list={list}
            value={String(value ?? '')}
            onChange={({ currentTarget: { value: to } }) => set(to === '' ? undefined : to)}
          />
          <datalist id={list}>
            {values.map((value) => (
              <option key={value} value={value} />
            ))}
          </datalist>
        </>
      );
  }
}

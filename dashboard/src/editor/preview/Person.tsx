import { Button, Popover, Select, TextInput } from '@mantine/core';
import { useId } from 'react';
import { keyWords } from '../../sentences/words';
import { type Attribute, asksPermission, attributesOf, sells } from '../attributes';
import { useNode } from '../useEditor';
import styles from './Preview.module.css';
import type { Given, Product } from './port';

export type Tells = Pick<Given, 'attributes' | 'permission' | 'clock' | 'product'>;

const yesOrNo = [
  { value: 'yes', label: 'Yes' },
  { value: 'no', label: 'No' },
];
const permissions = [
  { value: 'granted', label: 'Allows it' },
  { value: 'denied', label: 'Denies it' },
];

/** Who goes through the flow: what the app tells of them, what they answer the system, what they buy, and when. */
export function Person({ tells, setTells }: { tells: Tells; setTells: (tells: Tells) => void }) {
  const flow = useNode('flow')!;
  const attributes = attributesOf(flow);
  const asks = asksPermission(flow);
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
        <TextInput
          label="Clock"
          type="datetime-local"
          size="xs"
          max="9999-12-31T23:59"
          value={tells.clock?.at ?? ''}
          onChange={({ currentTarget: { value: at } }) => {
            const { clock: _, ...others } = tells;
            const time = Date.parse(at);
            setTells(Number.isNaN(time) ? others : { ...others, clock: { at, shift: time - Date.now() } });
          }}
        />
        {sells(flow) && (
          <ProductInput product={tells.product ?? { id: '' }} set={(product) => setTells({ ...tells, product })} />
        )}
        <p className={styles.none}>What has been decided stays. Restart to decide anew.</p>
      </Popover.Dropdown>
    </Popover>
  );
}

/** What is bought at a paywall, and for how much. */
function ProductInput({ product, set }: { product: Product; set: (product: Product) => void }) {
  const { price: _price, ...free } = product;
  return (
    <>
      <TextInput
        label="Product that is bought"
        placeholder="yearly_premium"
        size="xs"
        maxLength={256}
        value={product.id}
        onChange={({ currentTarget: { value } }) => set({ ...product, id: value })}
      />
      <span className={styles.price}>
        <TextInput
          label="Price"
          type="number"
          step="any"
          min={0}
          size="xs"
          value={product.price ?? ''}
          onChange={({ currentTarget: { value, valueAsNumber } }) =>
            set(value === '' ? free : { ...product, price: valueAsNumber })
          }
        />
        <TextInput
          label="Currency"
          placeholder="USD"
          size="xs"
          maxLength={3}
          value={product.currency ?? ''}
          onChange={({ currentTarget: { value } }) => set({ ...product, currency: value.toUpperCase() })}
        />
      </span>
    </>
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

import { ActionIcon, Button, NumberInput, Select, TextInput } from '@mantine/core';
import { formatShort } from '../ui/format';
import { Icon } from '../ui/Icon';
import styles from './Experiments.module.css';
import { maxVariants, shareOf, type Variant, withAnother } from './variants';

type Props = {
  variants: readonly Variant[];
  /** Published versions, by flow. */
  versions: { group: string; items: { value: string; label: string }[] }[];
  change: (variants: Variant[]) => void;
};

/** The variants while they are written: the first is the control, two at least. */
export function Variants({ variants, versions, change }: Props) {
  const put = (key: string, part: Partial<Variant>) =>
    change(variants.map((variant) => (variant.key === key ? { ...variant, ...part } : variant)));
  return (
    <fieldset className={styles.writing}>
      <legend>Variants</legend>
      {variants.map((variant, position) => (
        <div key={variant.key} className={styles.variant}>
          <TextInput
            aria-label={`Name of variant ${position + 1}`}
            maxLength={64}
            value={variant.name}
            onChange={(event) => put(variant.key, { name: event.currentTarget.value })}
          />
          <Select
            aria-label={`Version of variant ${position + 1}`}
            placeholder={position === 0 ? 'The others are compared with it' : 'Compared with the control'}
            searchable
            allowDeselect={false}
            value={variant.versionId}
            onChange={(versionId) => put(variant.key, { versionId })}
            data={versions}
          />
          <NumberInput
            aria-label={`Weight of variant ${position + 1}`}
            min={1}
            max={10_000}
            allowDecimal={false}
            value={variant.weight}
            onChange={(weight) => put(variant.key, { weight: Number(weight) })}
          />
          <output title="Share of users">{formatShort(shareOf(variant, variants), 'share')}</output>
          <ActionIcon
            variant="subtle"
            aria-label={`Remove variant ${position + 1}`}
            disabled={position === 0 || variants.length <= 2}
            onClick={() => change(variants.filter(({ key }) => key !== variant.key))}
          >
            <Icon name="close" />
          </ActionIcon>
        </div>
      ))}
      {variants.length < maxVariants && (
        <Button variant="subtle" onClick={() => change(withAnother(variants))}>
          Add variant
        </Button>
      )}
    </fieldset>
  );
}

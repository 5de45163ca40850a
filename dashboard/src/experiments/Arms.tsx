import { ActionIcon, Button, NumberInput, Select, TextInput } from '@mantine/core';
import { formatShort } from '../ui/format';
import { Icon } from '../ui/Icon';
import { type Arm, maxArms, shareOf, withAnother } from './arms';
import styles from './Experiments.module.css';

type Props = {
  arms: readonly Arm[];
  /** Published versions, by flow. */
  versions: { group: string; items: { value: string; label: string }[] }[];
  change: (arms: Arm[]) => void;
};

/** The arms while they are written: the first is the control, two at least. */
export function Arms({ arms, versions, change }: Props) {
  const put = (key: string, part: Partial<Arm>) =>
    change(arms.map((arm) => (arm.key === key ? { ...arm, ...part } : arm)));
  return (
    <fieldset className={styles.writing}>
      <legend>Variants</legend>
      {arms.map((arm, position) => (
        <div key={arm.key} className={styles.arm}>
          <TextInput
            aria-label={`Name of variant ${position + 1}`}
            maxLength={64}
            value={arm.name}
            onChange={(event) => put(arm.key, { name: event.currentTarget.value })}
          />
          <Select
            aria-label={`Version of variant ${position + 1}`}
            placeholder={position === 0 ? 'The others are compared with it' : 'Compared with the control'}
            searchable
            allowDeselect={false}
            value={arm.versionId}
            onChange={(versionId) => put(arm.key, { versionId })}
            data={versions}
          />
          <NumberInput
            aria-label={`Weight of variant ${position + 1}`}
            min={1}
            max={10_000}
            allowDecimal={false}
            value={arm.weight}
            onChange={(weight) => put(arm.key, { weight: Number(weight) })}
          />
          <output title="Share of users">{formatShort(shareOf(arm, arms), 'share')}</output>
          <ActionIcon
            variant="subtle"
            aria-label={`Remove variant ${position + 1}`}
            disabled={position === 0 || arms.length <= 2}
            onClick={() => change(arms.filter(({ key }) => key !== arm.key))}
          >
            <Icon name="close" />
          </ActionIcon>
        </div>
      ))}
      {arms.length < maxArms && (
        <Button variant="subtle" onClick={() => change(withAnother(arms))}>
          Add variant
        </Button>
      )}
    </fieldset>
  );
}

import { Button } from '@mantine/core';
import { Icon } from '../../ui/Icon';

export function Csv({ save }: { save: () => void }) {
  return (
    <Button variant="default" leftSection={<Icon name="download" size={14} />} onClick={save} data-print="no">
      CSV
    </Button>
  );
}

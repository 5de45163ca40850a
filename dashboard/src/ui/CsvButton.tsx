import { Button } from '@mantine/core';
import { Icon } from './Icon';

/** A button that gives the reader the rows of a card as a file. */
export function CsvButton({ save }: { save: () => void }) {
  return (
    <Button variant="default" leftSection={<Icon name="download" size={14} />} onClick={save} data-print="no">
      CSV
    </Button>
  );
}

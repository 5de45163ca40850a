import type { DateTimeMode } from '@svc/core/internal';
import { useRender } from '@svc/react-core';
import { useState } from 'react';
import { Pressable, StyleSheet, View } from 'react-native';
import { Words } from '../renderer/words';
import { type DateParts, formatParts, momentOf, parseParts, partsOf, within } from './date-parts';
import { DateWheels } from './date-wheels';
import type { HostDatePicker } from './host-date-picker';
import { Sheet } from './sheet';

export interface DateTimeSheetProps {
  title: string;
  mode: DateTimeMode;
  /** Empty for none. */
  value: string;
  min: string | undefined;
  max: string | undefined;
  /** The system's pickers, where the app has them. */
  picker: HostDatePicker | null;
  /** Whether the value may be taken away. */
  clearable: boolean;
  onChoose(value: string): void;
  onClose(): void;
}

/** Where a picker without a value begins: now, or the bound nearest to it. */
export function startingParts(mode: DateTimeMode, value: string, min?: string, max?: string): DateParts {
  const now = partsOf(new Date());
  return parseParts(within(value === '' ? formatParts(now, mode) : value, min, max), now);
}

const yearOf = (value: string | undefined): number | undefined => {
  const year = /^(\d{4})-/.exec(value ?? '');
  return year ? Number(year[1]) : undefined;
};

/** Chooses a date, a time or both: with the system's wheels where the app has them, else with our own. */
export function DateTimeSheet(props: DateTimeSheetProps) {
  const { title, mode, value, min, max, picker, clearable, onChoose, onClose } = props;
  const { copy, locale, palette } = useRender();
  const [parts, setParts] = useState(() => startingParts(mode, value, min, max));
  const take = (next: DateParts) => setParts(parseParts(within(formatParts(next, mode), min, max), next));
  const System = picker?.default;
  const bound = (limit: string | undefined) => (limit === undefined ? undefined : momentOf(parseParts(limit, parts)));
  const [earliest, latest] = [bound(min), bound(max)];
  return (
    <Sheet
      title={title}
      close={{ label: copy.close, onPress: onClose }}
      done={{ label: copy.done, onPress: () => onChoose(formatParts(parts, mode)) }}
    >
      {System ? (
        <System
          testID="system-date-picker"
          accessibilityLabel={title}
          value={momentOf(parts)}
          mode={mode}
          display="spinner"
          locale={locale}
          themeVariant={palette}
          {...(earliest ? { minimumDate: earliest } : {})}
          {...(latest ? { maximumDate: latest } : {})}
          onChange={(_event, moment) => moment && take(partsOf(moment))}
        />
      ) : (
        <DateWheels parts={parts} mode={mode} minYear={yearOf(min)} maxYear={yearOf(max)} onChange={take} />
      )}
      {clearable ? (
        <View style={styles.clear}>
          <Pressable accessibilityRole="button" hitSlop={8} onPress={() => onChoose('')}>
            <Words text={copy.clear} style={{ fontSize: 15 }} />
          </Pressable>
        </View>
      ) : null}
    </Sheet>
  );
}

const styles = StyleSheet.create({ clear: { alignItems: 'center', paddingVertical: 12 } });

import type { WheelItemStyle } from '@svc/core';
import type { DateTimeMode } from '@svc/core/internal';
import { monthName, useRender, WHEEL_BAND } from '@svc/react-core';
import { useMemo } from 'react';
import { StyleSheet, View } from 'react-native';
import { type DatePart, type DateParts, dateOrder, daysIn, existing, hourName } from './date-parts';
import { WheelBand, WheelColumn } from './wheel-column';

const ITEM_HEIGHT = 40;
const VISIBLE = 5;
/** Years that a wheel without bounds reaches back and ahead. */
const YEARS_BACK = 120;
const YEARS_AHEAD = 20;
const ITEM: WheelItemStyle = { fontSize: 16, fontWeight: 400, opacity: 0.7 };
const CHOSEN: WheelItemStyle = { fontSize: 17, fontWeight: 600 };

export interface DateWheelsProps {
  parts: DateParts;
  mode: DateTimeMode;
  /** Years of the bounds. */
  minYear: number | undefined;
  maxYear: number | undefined;
  onChange(parts: DateParts): void;
}

/** Wheels for the parts of a date or a time, in the order of the locale. */
export function DateWheels({ parts, mode, minYear, maxYear, onChange }: DateWheelsProps) {
  const { locale, palette, copy } = useRender();
  const columns = useMemo<DatePart[]>(() => {
    const date = mode === 'time' ? [] : dateOrder(locale);
    return mode === 'date' ? date : [...date, 'hour', 'minute'];
  }, [mode, locale]);
  const thisYear = new Date().getFullYear();
  const ranges: Readonly<Record<DatePart, readonly [number, number]>> = {
    year: [
      Math.min(minYear ?? thisYear - YEARS_BACK, parts.year),
      Math.max(maxYear ?? thisYear + YEARS_AHEAD, parts.year),
    ],
    month: [1, 12],
    day: [1, daysIn(parts.year, parts.month)],
    hour: [0, 23],
    minute: [0, 59],
  };
  const words = (part: DatePart, value: number) => {
    if (part === 'month') return monthName(value, locale);
    if (part === 'hour') return hourName(value, locale);
    return part === 'minute' ? String(value).padStart(2, '0') : String(value);
  };
  return (
    <View style={[styles.wheels, { height: ITEM_HEIGHT * VISIBLE }]}>
      <WheelBand color={WHEEL_BAND[palette]} itemHeight={ITEM_HEIGHT} visible={VISIBLE} />
      {columns.map((part) => {
        const [from, to] = ranges[part];
        const items = Array.from({ length: to - from + 1 }, (_, at) => ({
          id: String(from + at),
          label: words(part, from + at),
        }));
        return (
          <WheelColumn
            key={part}
            items={items}
            index={parts[part] - from}
            itemHeight={ITEM_HEIGHT}
            visible={VISIBLE}
            label={copy.dateParts[part]}
            itemStyle={ITEM}
            selectedItemStyle={CHOSEN}
            share={part === 'month' ? 1.6 : 1}
            onChoose={(at) => onChange(existing({ ...parts, [part]: from + at }))}
          />
        );
      })}
    </View>
  );
}

const styles = StyleSheet.create({ wheels: { flexDirection: 'row', marginHorizontal: 12 } });

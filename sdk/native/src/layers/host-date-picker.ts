import type { DateTimeMode } from '@svc/core/internal';
import { useState } from 'react';
import { Platform } from 'react-native';
import { loadDateTimePicker } from '../host/optional-modules';

/** The system's pickers, from a module that apps need not have. */
export type HostDatePicker = typeof import('@react-native-community/datetimepicker');

function load(): HostDatePicker | null {
  // The module draws nothing in a browser.
  return Platform.OS === 'ios' || Platform.OS === 'android' ? loadDateTimePicker() : null;
}

/** The system's pickers; null where the app has none. Looked up with the first field that could use them. */
export function useHostDatePicker(): HostDatePicker | null {
  const [picker] = useState(load);
  return picker;
}

export interface AndroidQuestion {
  mode: DateTimeMode;
  value: Date;
  min: Date | undefined;
  max: Date | undefined;
  is24Hour: boolean;
  /** Label of a button that takes the value away; none without. */
  clear: string | undefined;
}

type Answer = Date | 'cleared' | null;

function askOnce(picker: HostDatePicker, question: AndroidQuestion, mode: 'date' | 'time'): Promise<Answer> {
  const { value, min, max, is24Hour, clear } = question;
  return new Promise((resolve) => {
    picker.DateTimePickerAndroid.open({
      value,
      mode,
      is24Hour,
      ...(mode === 'date' && min ? { minimumDate: min } : {}),
      ...(mode === 'date' && max ? { maximumDate: max } : {}),
      ...(clear ? { neutralButton: { label: clear } } : {}),
      onChange: ({ type }, date) =>
        resolve(type === 'neutralButtonPressed' ? 'cleared' : type === 'set' ? (date ?? null) : null),
    });
  });
}

/** Asks with Android's dialogs, one after the other for a date with a time; null when the person leaves one. */
export async function askAndroid(picker: HostDatePicker, question: AndroidQuestion): Promise<Answer> {
  if (question.mode !== 'datetime') return askOnce(picker, question, question.mode);
  const date = await askOnce(picker, question, 'date');
  if (date === null || date === 'cleared') return date;
  const time = await askOnce(picker, { ...question, value: date, clear: undefined }, 'time');
  if (time === null || time === 'cleared') return null;
  const both = new Date(date);
  both.setHours(time.getHours(), time.getMinutes(), 0, 0);
  return both;
}

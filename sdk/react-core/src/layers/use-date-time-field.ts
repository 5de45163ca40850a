import type { DateTimeInputLayer } from '@svc/core';
import { type DateTimeMode, draftProblem, localize } from '@svc/core/internal';
import { useState } from 'react';
import { inputLabel } from '../renderer/labels';
import { useRender } from '../renderer/render-context';

export interface DateTimeField {
  mode: DateTimeMode;
  /** Local and without a time zone (runtime.md §6.2); empty for none. */
  value: string;
  /** Accessible name. */
  label: string;
  placeholder: string | undefined;
  /** What is wrong with the value, once it is time to say so. */
  problem: string | null;
  required: boolean;
  /** Takes a value; an empty one takes it away. */
  change(value: string): void;
  /** The field lost the focus. */
  leave(): void;
}

/** A date or time input without its view (manifest.md §8.7). */
export function useDateTimeField(layer: DateTimeInputLayer): DateTimeField {
  const context = useRender();
  const { draft, attempted, copy, screen, setInput } = context;
  const [left, setLeft] = useState(false);
  const problem = left || attempted ? draftProblem(layer, draft.input, new Date().getFullYear()) : null;
  const { classification } = layer;
  return {
    mode: layer.mode ?? 'date',
    value: draft.input?.kind === 'date_time' ? draft.input.value : '',
    label: inputLabel(screen, layer, context),
    placeholder: layer.placeholder && localize(layer.placeholder, context),
    problem: problem && copy.problem(problem),
    required: layer.required ?? true,
    change: (value) => setInput(value === '' ? null : { kind: 'date_time', value, classification }),
    leave: () => setLeft(true),
  };
}

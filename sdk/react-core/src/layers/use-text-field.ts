import type { TextInputLayer } from '@svc/core';
import { localize, textProblem } from '@svc/core/internal';
import { useState } from 'react';
import { inputLabel } from '../renderer/labels';
import { useRender } from '../renderer/render-context';
import { type Autofill, autofillOf } from './autofill';

type InputType = NonNullable<TextInputLayer['inputType']>;

export interface TextField {
  type: InputType;
  value: string;
  /** Accessible name. */
  label: string;
  placeholder: string | undefined;
  helper: string | undefined;
  /** What is wrong with the value, once it is time to say so. */
  problem: string | null;
  required: boolean;
  /** Whether what is typed is hidden from view; never so in several lines. */
  masked: boolean;
  autofill: Autofill;
  capitalization: NonNullable<TextInputLayer['autoCapitalize']>;
  returnKey: NonNullable<TextInputLayer['returnKeyType']>;
  /** Takes what was typed. */
  change(text: string): void;
  /** The field lost the focus. */
  leave(): void;
}

function capitalization(layer: TextInputLayer): TextField['capitalization'] {
  if (layer.autoCapitalize) return layer.autoCapitalize;
  const plain = layer.inputType === undefined || layer.inputType === 'plain' || layer.inputType === 'multiline';
  return plain && layer.classification !== 'sensitive' && !layer.masked ? 'sentences' : 'none';
}

/** A text input without its view (manifest.md §8.4, runtime.md §6.1). */
export function useTextField(layer: TextInputLayer): TextField {
  const context = useRender();
  const { draft, attempted, copy, screen, setInput } = context;
  const [left, setLeft] = useState(false);
  const type = layer.inputType ?? 'plain';
  const value = draft.input?.kind === 'text' ? draft.input.value : '';
  const mode = layer.validationMode ?? 'onBlur';
  const shows = mode === 'live' ? draft.input !== null : attempted || (mode === 'onBlur' && left);
  const problem = shows ? textProblem(layer, value) : null;
  return {
    type,
    value,
    label: inputLabel(screen, layer, context),
    placeholder: layer.placeholder && localize(layer.placeholder, context),
    helper: layer.helperText && localize(layer.helperText, context),
    problem: problem && copy.problem(problem),
    required: layer.required ?? true,
    masked: layer.masked === true && type !== 'multiline',
    autofill: autofillOf(layer),
    capitalization: capitalization(layer),
    returnKey: layer.returnKeyType ?? (type === 'multiline' ? 'default' : 'done'),
    change: (text) => {
      const typed = type === 'number' ? text.replace(/\D/g, '') : text;
      setInput({ kind: 'text', value: typed, classification: layer.classification });
    },
    leave: () => setLeft(true),
  };
}

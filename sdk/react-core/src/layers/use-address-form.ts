import type { AddressField, AddressInputLayer, AddressValue } from '@svc/core';
import { draftProblem, initialInputDraft, localize, visibleAddressFields } from '@svc/core/internal';
import { useState } from 'react';
import { inputLabel } from '../renderer/labels';
import { useRender } from '../renderer/render-context';

/** One line of an address. */
export interface AddressPart {
  name: AddressField;
  value: string;
  /** Accessible name, and placeholder where the line is empty. */
  label: string;
  /** Whether the problem that shows is this line's. */
  invalid: boolean;
  change(text: string): void;
  /** The line lost the focus. */
  leave(): void;
}

export interface AddressForm {
  /** The lines that show, in order. */
  parts: AddressPart[];
  /** Accessible name of the whole. */
  label: string;
  /** The first thing that is wrong, once it is time to say so. */
  problem: string | null;
}

/** An address input without its view (manifest.md §8.12, runtime.md §6.4). */
export function useAddressForm(layer: AddressInputLayer): AddressForm {
  const context = useRender();
  const { draft, copy, attempted, screen, setInput } = context;
  const [touched, setTouched] = useState<readonly AddressField[]>([]);
  const year = new Date().getFullYear();
  const started = draft.input?.kind === 'address' ? draft.input : initialInputDraft(layer, year);
  const value = (started?.kind === 'address' ? started.value : {}) as AddressValue;
  const { classification } = layer;
  const problem = draftProblem(layer, { kind: 'address', value, classification }, year);
  const shown = problem?.field && (attempted || touched.includes(problem.field)) ? problem : null;
  return {
    parts: visibleAddressFields(layer).map((name) => {
      const placeholder = layer.placeholders?.[name];
      return {
        name,
        value: value[name] ?? '',
        label: placeholder ? localize(placeholder, context) : copy.addressFields[name],
        invalid: shown?.field === name,
        change: (text) => setInput({ kind: 'address', value: { ...value, [name]: text }, classification }),
        leave: () => setTouched((parts) => [...parts, name]),
      };
    }),
    label: inputLabel(screen, layer, context),
    problem: shown && copy.problem(shown),
  };
}

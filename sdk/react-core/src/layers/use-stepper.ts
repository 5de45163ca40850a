import type { NumberStepperLayer } from '@svc/core';
import { snapToStep } from '@svc/core/internal';
import { createContext, useContext } from 'react';
import { useRender } from '../renderer/render-context';

/** The stepper around a button or a value; its parts stand nowhere else. */
export const StepperContext = /* @__PURE__ */ createContext<NumberStepperLayer | null>(null);

/** The stepper around this layer with its value and its setter; null outside of one. */
export function useStepper() {
  const layer = useContext(StepperContext);
  const { draft, interactive, setInput } = useRender();
  if (!layer) return null;
  const value =
    draft.input?.kind === 'number_stepper' ? draft.input.value : snapToStep(layer.defaultValue ?? layer.min, layer);
  const set = (next: number) => {
    if (interactive) setInput({ kind: 'number_stepper', value: next, classification: layer.classification });
  };
  return { layer, value, set };
}

import type { NumberStepperButtonLayer, NumberStepperLayer, NumberStepperValueLayer } from '@svc/core';
import { localize, stepBy } from '@svc/core/internal';
import { inputLabel, StepperContext, useAxis, useLayerStyle, useRender, useStepper } from '@svc/react-core';
import type { KeyboardEvent } from 'react';
import { Box, layerOpacity } from '../renderer/box';
import { boxCss } from '../style/box-css';
import { flexCss } from '../style/flex-css';
import { Children } from './children';
import { wordsCss } from './text';

const DEFAULT_GAP = 12;

export function NumberStepperView({ layer }: { layer: NumberStepperLayer }) {
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer);
  const direction = layer.direction ?? 'horizontal';
  return (
    <StepperContext.Provider value={layer}>
      <Box
        layer={layer}
        role="group"
        aria-label={inputLabel(context.screen, layer, context)}
        opacity={layerOpacity(style)}
        css={{
          position: 'relative',
          ...flexCss({
            direction,
            gap: layer.gap ?? DEFAULT_GAP,
            align: layer.align ?? 'center',
            distribution: layer.distribution,
          }),
          ...boxCss(style, axis, context),
        }}
      >
        <Children layers={layer.children} axis={direction} />
      </Box>
    </StepperContext.Provider>
  );
}

/** Side of a stepper button without a size of its own: comfortable to tap. */
const BUTTON_SIZE = 44;

export function NumberStepperButtonView({ layer }: { layer: NumberStepperButtonLayer }) {
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer);
  const stepper = useStepper();
  if (!stepper) return null;
  const step = layer.role === 'increment' ? 1 : -1;
  const next = stepBy(stepper.value, step, stepper.layer);
  const atEnd = next === stepper.value;
  return (
    <Box
      as="button"
      type="button"
      className="svc-press"
      layer={layer}
      aria-label={layer.role === 'increment' ? context.copy.increase : context.copy.decrease}
      aria-disabled={atEnd || undefined}
      onClick={() => !atEnd && stepper.set(next)}
      opacity={layerOpacity(style, atEnd)}
      css={{
        ...flexCss({ direction: 'horizontal', gap: 0, align: 'center', distribution: 'center' }),
        minWidth: BUTTON_SIZE,
        minHeight: BUTTON_SIZE,
        ...boxCss(style, axis, context),
      }}
    >
      <Children layers={layer.children ?? []} axis="horizontal" />
    </Box>
  );
}

export function NumberStepperValueView({ layer }: { layer: NumberStepperValueLayer }) {
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer);
  const stepper = useStepper();
  if (!stepper) return null;
  const { value, set } = stepper;
  const unit = layer.unitLabel && localize(layer.unitLabel, context);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    set(stepBy(value, step as 1 | -1, stepper.layer));
  };
  return (
    <Box
      as="span"
      className="svc-text"
      layer={layer}
      role="spinbutton"
      tabIndex={context.interactive ? 0 : -1}
      aria-label={inputLabel(context.screen, stepper.layer, context)}
      aria-valuenow={value}
      aria-valuemin={stepper.layer.min}
      aria-valuemax={stepper.layer.max}
      aria-valuetext={unit ? `${value} ${unit}` : undefined}
      onKeyDown={onKeyDown}
      opacity={layerOpacity(style)}
      css={{ textAlign: 'center', ...wordsCss(style, axis, context) }}
    >
      {unit ? `${value} ${unit}` : value}
    </Box>
  );
}

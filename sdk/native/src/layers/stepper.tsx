import type { NumberStepperButtonLayer, NumberStepperLayer, NumberStepperValueLayer } from '@svc/core';
import { localize, stepBy } from '@svc/core/internal';
import { inputLabel, StepperContext, useLayerStyle, useRender, useStepper } from '@svc/react-core';
import type { AccessibilityActionEvent } from 'react-native';
import { Box } from '../renderer/box';
import { PressBox } from '../renderer/press-box';
import { Words } from '../renderer/words';
import { flexStyle } from '../style/flex-style';
import { Children } from './children';

const DEFAULT_GAP = 12;

export function NumberStepperView({ layer }: { layer: NumberStepperLayer }) {
  const context = useRender();
  const style = useLayerStyle(layer);
  const direction = layer.direction ?? 'horizontal';
  const gap = layer.gap ?? DEFAULT_GAP;
  const { align = 'center', distribution } = layer;
  return (
    <StepperContext.Provider value={layer}>
      <Box
        layer={layer}
        role="group"
        aria-label={inputLabel(context.screen, layer, context)}
        look={style}
        layout={flexStyle({ direction, gap, align, distribution })}
      >
        <Children layers={layer.children} axis={direction} align={align} />
      </Box>
    </StepperContext.Provider>
  );
}

/** Side of a stepper button without a size of its own: comfortable to tap. */
const BUTTON_SIZE = 44;

export function NumberStepperButtonView({ layer }: { layer: NumberStepperButtonLayer }) {
  const { copy } = useRender();
  const style = useLayerStyle(layer);
  const stepper = useStepper();
  if (!stepper) return null;
  const increases = layer.role === 'increment';
  const next = stepBy(stepper.value, increases ? 1 : -1, stepper.layer);
  const atEnd = next === stepper.value;
  return (
    <PressBox
      layer={layer}
      role="button"
      aria-label={increases ? copy.increase : copy.decrease}
      held={atEnd}
      onPress={() => !atEnd && stepper.set(next)}
      look={{ minWidth: BUTTON_SIZE, minHeight: BUTTON_SIZE, ...style }}
      layout={flexStyle({ direction: 'horizontal', gap: 0, align: 'center', distribution: 'center' })}
    >
      <Children layers={layer.children ?? []} axis="horizontal" align="center" />
    </PressBox>
  );
}

export function NumberStepperValueView({ layer }: { layer: NumberStepperValueLayer }) {
  const context = useRender();
  const { screen, interactive } = context;
  const style = useLayerStyle(layer);
  const stepper = useStepper();
  if (!stepper) return null;
  const { value, set } = stepper;
  const { min, max } = stepper.layer;
  const unit = layer.unitLabel && localize(layer.unitLabel, context);
  const words = unit ? `${value} ${unit}` : String(value);
  const onAction = ({ nativeEvent }: AccessibilityActionEvent) => {
    if (nativeEvent.actionName === 'increment') set(stepBy(value, 1, stepper.layer));
    if (nativeEvent.actionName === 'decrement') set(stepBy(value, -1, stepper.layer));
  };
  return (
    <Box
      layer={layer}
      accessible
      accessibilityRole="adjustable"
      accessibilityLabel={inputLabel(screen, stepper.layer, context)}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={value}
      aria-valuetext={words}
      accessibilityActions={interactive ? [{ name: 'increment' }, { name: 'decrement' }] : []}
      onAccessibilityAction={onAction}
      look={style}
    >
      <Words text={words} style={{ align: 'center', ...style, opacity: 1 }} />
    </Box>
  );
}

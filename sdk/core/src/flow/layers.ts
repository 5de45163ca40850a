import type {
  CheckboxLayer,
  ChoiceLayer,
  ConditionalLayer,
  FlowManifest,
  InputLayer,
  Layer,
  LayerKind,
  Screen,
  StackLayer,
} from '../manifest/types';
import { type ExpressionContext, evaluateExpression } from './expression';

const INPUT_KINDS: ReadonlySet<LayerKind> = new Set<LayerKind>([
  'single_choice',
  'multiple_choice',
  'text_input',
  'scale_input',
  'wheel_picker',
  'date_time_input',
  'number_stepper',
  'phone_input',
  'address_input',
]);

/** Whether the layer collects the answer of its screen. Checkboxes and auth blocks do not count. */
export function isInputLayer(layer: Layer): layer is InputLayer {
  return INPUT_KINDS.has(layer.kind);
}

/** Every input but `single_choice` waits for Continue; jumping past such an input is recorded as a bypass. */
export function isManualSubmitInput(layer: Layer): boolean {
  return isInputLayer(layer) && layer.kind !== 'single_choice';
}

/** Child layers in document order, whatever the kind calls them. */
export function childLayers(layer: Layer): readonly Layer[] {
  if (layer.kind === 'carousel') return layer.slides;
  return 'children' in layer && layer.children ? layer.children : [];
}

/** Roots of a screen in document order: header, body, footer. */
export function screenRegions(screen: Screen): StackLayer[] {
  const { header, body, footer } = screen.regions;
  return [header, body, footer].filter((region): region is StackLayer => region !== undefined);
}

/** The branch of a conditional that shows: first matching case, else the else stack, else the last child. */
export function activeConditionalBranch(layer: ConditionalLayer, context: ExpressionContext): StackLayer | undefined {
  const match = layer.cases.find((candidate) => evaluateExpression(candidate.expression, context));
  const rootId = match ? match.rootLayerId : layer.elseRootLayerId;
  return layer.children.find((child) => child.id === rootId) ?? layer.children[layer.children.length - 1];
}

function walk(layer: Layer, visit: (layer: Layer) => void, context: ExpressionContext | null): void {
  visit(layer);
  if (layer.kind === 'conditional' && context) {
    const branch = activeConditionalBranch(layer, context);
    if (branch) walk(branch, visit, context);
    return;
  }
  for (const child of childLayers(layer)) walk(child, visit, context);
}

/** Visits a layer and everything below it, inactive branches included. */
export function walkLayers(root: Layer, visit: (layer: Layer) => void): void {
  walk(root, visit, null);
}

/** All layers of a screen in document order, inactive conditional branches included. */
export function allScreenLayers(screen: Screen): Layer[] {
  const layers: Layer[] = [];
  for (const region of screenRegions(screen)) walk(region, (layer) => layers.push(layer), null);
  return layers;
}

/** The layers of a screen that show, with conditionals resolved by `context` (runtime.md §2.6). */
export function activeScreenLayers(screen: Screen, context: ExpressionContext): Layer[] {
  const layers: Layer[] = [];
  for (const region of screenRegions(screen)) walk(region, (layer) => layers.push(layer), context);
  return layers;
}

/** The input of the active path, of which a valid manifest has at most one. */
export function activeInput(layers: readonly Layer[]): InputLayer | undefined {
  return layers.find(isInputLayer);
}

export function activeCheckboxes(layers: readonly Layer[]): CheckboxLayer[] {
  return layers.filter((layer): layer is CheckboxLayer => layer.kind === 'checkbox');
}

/** Whether an active Continue button exists; without one inputs submit by themselves or through other buttons. */
export function hasContinueButton(layers: readonly Layer[]): boolean {
  return layers.some((layer) => layer.kind === 'button' && layer.action.kind === 'continue');
}

/** The choice layer of a field anywhere in the manifest, inactive branches included; labels come from it. */
export function findChoiceLayer(manifest: FlowManifest, fieldKey: string): ChoiceLayer | undefined {
  for (const screen of manifest.screens) {
    const found = allScreenLayers(screen).find(
      (layer): layer is ChoiceLayer =>
        (layer.kind === 'single_choice' || layer.kind === 'multiple_choice') && layer.fieldKey === fieldKey,
    );
    if (found) return found;
  }
  return undefined;
}

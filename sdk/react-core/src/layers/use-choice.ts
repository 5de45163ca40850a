import type { ChoiceLayer, StackLayer } from '@svc/core';
import { choiceTapResponse, responsiveLayout, submitsOnTap, toggleChoice } from '@svc/core/internal';
import { useRender } from '../renderer/render-context';
import { withOptionChrome } from './option-chrome';

const DEFAULT_GAP = 8;
const DEFAULT_GRID_COLUMNS = 2;

export interface ChoiceLayout {
  direction: 'vertical' | 'horizontal' | 'grid';
  /** px */
  gap: number;
  columns: number;
}

export interface ChoiceOption {
  id: string;
  root: StackLayer;
  selected: boolean;
}

export interface Choice {
  single: boolean;
  /** A tap answers at once, so moving through the options must not choose them. */
  submitsOnTap: boolean;
  layout: ChoiceLayout;
  /** In the order of the bindings. */
  options: ChoiceOption[];
  choose(optionId: string): void;
}

/** A single or multiple choice without its view (manifest.md §8.1, runtime.md §6). */
export function useChoice(layer: ChoiceLayer): Choice {
  const { draft, layers, interactive, setInput, respond, palette, theme, width } = useRender();
  const chosen = draft.input?.kind === 'choice' ? [draft.input.choiceId] : [];
  const selected = draft.input?.kind === 'multiChoice' ? draft.input.choiceIds : chosen;
  const atOnce = layer.kind === 'single_choice' && submitsOnTap(layers);
  return {
    single: layer.kind === 'single_choice',
    submitsOnTap: atOnce,
    layout: responsiveLayout<ChoiceLayout>(
      {
        direction: layer.direction ?? 'vertical',
        gap: layer.gap ?? DEFAULT_GAP,
        columns: layer.columns ?? DEFAULT_GRID_COLUMNS,
      },
      layer.choiceLayoutBreakpoints,
      width,
    ),
    options: layer.optionBindings.flatMap(({ optionId, rootLayerId }) => {
      const root = layer.children.find((child) => child.id === rootLayerId);
      if (!root) return [];
      const dressed = withOptionChrome(root, palette, theme?.primary);
      return [{ id: optionId, root: dressed, selected: selected.includes(optionId) }];
    }),
    choose: (optionId) => {
      if (!interactive) return;
      if (layer.kind === 'multiple_choice') {
        setInput(toggleChoice(layer, draft.input, optionId));
        return;
      }
      setInput({ kind: 'choice', choiceId: optionId });
      if (atOnce) respond(choiceTapResponse(layers, draft, optionId));
    },
  };
}

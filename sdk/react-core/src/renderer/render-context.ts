import type {
  Branding,
  ButtonAction,
  FlowManifest,
  InputResponse,
  Layer,
  OnComplete,
  Screen,
  StepResponse,
  StoredResponses,
} from '@svc/core';
import type { ExpressionContext, ScreenDraft } from '@svc/core/internal';
import { type ComponentType, createContext, useContext } from 'react';
import type { ScreenClock } from '../motion/screen-clock';
import type { Axis, StyleScope } from '../style/scope';
import type { Carousels } from './carousels';
import type { Copy } from './copy';
import type { Players } from './players';

/** Everything a layer may need. One per screen; replaced when any of it changes. */
export interface RenderContext extends StyleScope {
  manifest: FlowManifest;
  screen: Screen;
  branding: Branding | undefined;
  mediaMap: Readonly<Record<string, string>>;
  /** The locale of the manifest that is really used. */
  locale: string;
  direction: 'ltr' | 'rtl';
  /** Width in px that breakpoints look at. */
  width: number;
  interactive: boolean;
  /** Whether movement is replaced by end states. */
  reducedMotion: boolean;
  /** The moment that motion is frozen at; undefined while it runs. */
  frozenMs: number | undefined;
  clock: ScreenClock;
  responses: StoredResponses;
  /** What conditional layers may look at. */
  expression: ExpressionContext;
  customProperties: Readonly<Record<string, string>>;
  /** The layers that show, with conditionals resolved, in document order. */
  layers: readonly Layer[];
  draft: ScreenDraft;
  /** Whether Continue would submit. */
  ready: boolean;
  /** Whether the visitor tried to continue with an answer that does not pass. */
  attempted: boolean;
  /** The button whose action is under way. */
  pendingAction: string | null;
  copy: Copy;
  players: Players;
  carousels: Carousels;
  /** Draws layers in place of the platform's own view of them: an editor guards each. */
  View?: ComponentType<{ layer: Layer }>;
  setInput(draft: InputResponse | null): void;
  setCheckbox(fieldKey: string, checked: boolean): void;
  respond(response: StepResponse): void;
  /** Runs a button's action. */
  perform(action: ButtonAction, layerId: string): void;
  /** Submits the draft when it passes, else shows what is wrong. */
  submitDraft(): void;
  canGoBack(fallbackScreenId: string | undefined): boolean;
  /** Follows what an author set for the end of a loader or a player. */
  finish(onComplete: OnComplete | undefined): void;
  openLink(layerId: string, href: string): void;
}

export const RenderContextProvider = /* @__PURE__ */ createContext<RenderContext | null>(null);

export function useRender(): RenderContext {
  const context = useContext(RenderContextProvider);
  if (!context) throw new Error('A layer can only be drawn inside a LayerRenderer.');
  return context;
}

/** Main axis of the box around the layer. */
export const AxisContext = /* @__PURE__ */ createContext<Axis>('vertical');
export const useAxis = (): Axis => useContext(AxisContext);

/** Whether the layer stands in a chosen option; null outside of options. */
export const SelectedContext = /* @__PURE__ */ createContext<boolean | null>(null);
export const useSelected = (): boolean | null => useContext(SelectedContext);

import type { FlowEvent, StoredResponses } from '@svc/core';
import type { JsonObject, NodeId } from '../document/operation';
import type { Holds } from '../previewed';

/** What is run, and how. A draft may be wrong in any way. */
export type Given = {
  flow: JsonObject;
  locale: string;
  theme: 'light' | 'dark';
  platform: Platform;
  /** What the app would tell of the person, by key. */
  attributes: Readonly<Record<string, string | number | boolean>>;
  /** Whether the person asks for less motion; else it is as the system says. */
  reduced?: boolean;
  /** What the person answers when a button asks for a permission of the system. */
  permission: 'granted' | 'denied';
  /** What the clock of the device says: as it is typed, and by how many ms that is off. */
  clock?: { at: string; shift: number };
  /** What a paywall of the app sells, where somebody buys. */
  product?: Product;
  /** Addresses of media by asset id. */
  mediaMap: Readonly<Record<string, string>>;
  branding: unknown;
};

/** A product of a store. Its price is told with its currency, three letters, or not at all. */
export type Product = { id: string; price?: number; currency?: string };

export type Platform = 'ios' | 'android' | 'web';

/** What has happened in a run. Another object whenever something has. */
export type Told = {
  /** Counts the times that the flow began. */
  run: number;
  /** Why it began again without being asked to: the step that it stood at was removed. */
  lost: boolean;
  /** 'unable': the flow has nothing to begin with, or is not finished enough to begin. */
  status: 'running' | 'ended' | 'unable';
  /** The screen or surface that shows. */
  step: NodeId | null;
  /** Events as they would be sent, the latest last; no more than `keptEvents`. */
  events: readonly FlowEvent[];
  /** How many events came before those. */
  dropped: number;
  answers: StoredResponses;
};

export const keptEvents = 200;

/** What run.html offers to the page around it, which calls it directly: both are of one origin. Nothing is sent. */
export type RunPort = {
  /** Runs a flow; one that runs already goes on where it stands, if that is still there. */
  show(given: Given): void;
  /** Begins anew, with a screen or, for null, with the first. */
  restart(from: NodeId | null): void;
  /** Whether a condition holds for the user who goes through it, as far as they are. */
  holds: Holds;
  onTold: (told: Told) => void;
  /** Escape was pressed in the frame. */
  onLeave: () => void;
};

export type RunWindow = Window & { svcRun?: RunPort };

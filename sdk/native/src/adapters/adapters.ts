import type { Fit } from '@svc/core';
import type { ComponentType, Ref } from 'react';

/** What a screen may do to a film that is on it. */
export interface FilmHandle {
  /** Starts from the beginning unless it is already playing. */
  play(): void;
}

/** A film that fills the box around it, without controls. */
export interface FilmProps {
  url: string;
  fit: Fit;
  loop: boolean;
  muted: boolean;
  /** Whether it plays by itself; turning it off pauses. */
  playing: boolean;
  /** Called at each end of a film that does not loop. */
  onEnd?: () => void;
  handle?: Ref<FilmHandle>;
}

/** Asks the system to show its in-app review. */
export interface ReviewAdapter {
  /** `shown` is whether the system took the request; whether it drew anything no system tells. Never throws. */
  requestReview(platform: 'ios' | 'android'): Promise<{ shown: boolean }>;
}

/** Makes fonts known to the system under the names that the layers ask for. */
export interface FontAdapter {
  /** Addresses by registration name. Best effort; rejects when none of them could be loaded. */
  loadFonts(fonts: Readonly<Record<string, string>>): Promise<void>;
}

/** All that differs between the two flavours (runtime.md §15). */
export interface NativeAdapters {
  /** Name of the package, for messages. */
  flavour: '@svc/expo' | '@svc/react-native';
  Film: ComponentType<FilmProps>;
  review: ReviewAdapter;
  /** Null where the flavour has no way to load fonts by itself: then the host may pass one. */
  fonts: FontAdapter | null;
}

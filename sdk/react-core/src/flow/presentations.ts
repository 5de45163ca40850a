import type { SvcClient } from '@svc/core';
import { Listeners } from '@svc/core/internal';
import type { ReactNode } from 'react';

/** Something that is presented above an app. */
export interface Presentation {
  /** Unique in the page or app. */
  id: number;
  /** The client of the provider that draws it. */
  client: SvcClient;
  node: ReactNode;
}

/** What functions outside of components have put above the app, oldest first; providers draw it. */
export class Presentations {
  private list: readonly Presentation[] = [];
  private lastId = 0;
  private readonly listeners = new Listeners();

  subscribe = this.listeners.add;

  /** The same array until something changed. */
  current = (): readonly Presentation[] => this.list;

  /** Adds something to draw. Returns its removal. */
  add(client: SvcClient, node: ReactNode): () => void {
    this.lastId += 1;
    const id = this.lastId;
    this.change([...this.list, { id, client, node }]);
    return () => this.change(this.list.filter((one) => one.id !== id));
  }

  private change(list: readonly Presentation[]): void {
    this.list = list;
    this.listeners.tell();
  }
}

export const presentations = new Presentations();

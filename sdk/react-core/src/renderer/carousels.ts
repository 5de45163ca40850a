/** Answers a button that pages a carousel. */
export type Advance = (onLast: 'noop' | 'complete' | undefined) => void;

/** The carousels of one screen, by layer id. */
export class Carousels {
  private readonly carousels = new Map<string, Advance>();

  register(id: string, advance: Advance): () => void {
    this.carousels.set(id, advance);
    return () => {
      if (this.carousels.get(id) === advance) this.carousels.delete(id);
    };
  }

  advance(id: string, onLast: 'noop' | 'complete' | undefined): void {
    this.carousels.get(id)?.(onLast);
  }
}

/** Who wants to hear of a change. Who leaves or comes while it is told is told at the next one. */
export class Listeners {
  private readonly all = new Set<() => void>();

  /** Returns the removal. */
  readonly add = (listener: () => void): (() => void) => {
    this.all.add(listener);
    return () => void this.all.delete(listener);
  };

  tell(): void {
    for (const listener of [...this.all]) listener();
  }
}

import { useEffect, useState } from 'react';

/** Called with the milliseconds since the screen appeared; returns false when it needs no more frames. */
type Tick = (elapsedMs: number) => boolean;

/** Runs the animations of one screen from one clock, with a frame callback only while something moves. */
export class ScreenClock {
  private readonly ticks = new Set<Tick>();
  private startedAt: number | null = null;
  private frame: number | null = null;

  /** Milliseconds since the screen appeared; 0 before it did. */
  get elapsedMs(): number {
    return this.startedAt === null ? 0 : performance.now() - this.startedAt;
  }

  start(): void {
    this.startedAt = performance.now();
    this.request();
  }

  stop(): void {
    if (this.frame !== null) cancelAnimationFrame(this.frame);
    this.frame = null;
  }

  /** Runs a tick every frame until it returns false or is removed. */
  add(tick: Tick): () => void {
    this.ticks.add(tick);
    this.request();
    return () => void this.ticks.delete(tick);
  }

  private request(): void {
    if (this.frame !== null || this.startedAt === null || this.ticks.size === 0) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = null;
      const elapsed = this.elapsedMs;
      for (const tick of [...this.ticks]) if (!tick(elapsed)) this.ticks.delete(tick);
      this.request();
    });
  }
}

/** The clock of a screen: starts when it is mounted. */
export function useScreenClock(): ScreenClock {
  const [clock] = useState(() => new ScreenClock());
  useEffect(() => {
    clock.start();
    return () => clock.stop();
  }, [clock]);
  return clock;
}

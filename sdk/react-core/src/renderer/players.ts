/** Starts one lottie or video unless it is already playing. */
export type Play = () => void;

/** Id under which buttons address the video of a screen's background. */
export function backgroundPlayerId(screenId: string): string {
  return `__screen_bg__:${screenId}`;
}

/** The players of one screen, by layer id. */
export class Players {
  private readonly players = new Map<string, Play>();

  register(id: string, play: Play): () => void {
    this.players.set(id, play);
    return () => {
      if (this.players.get(id) === play) this.players.delete(id);
    };
  }

  play(ids: readonly string[]): void {
    for (const id of ids) this.players.get(id)?.();
  }
}

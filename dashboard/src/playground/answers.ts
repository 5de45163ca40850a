/** One answer of a subscription: when it came, in milliseconds after the start, and how many came before it. */
export type Answer = { number: number; after: number; text: string };

/** How much of a subscription the page keeps: it may run for an hour. */
export const mostAnswers = 200;
export const mostCharacters = 1_000_000;

/** The answers with another one in front. The oldest go where they are too many or too long together; the newest stays. */
export function withAnswer(answers: readonly Answer[], answer: Answer): Answer[] {
  let room = mostCharacters - answer.text.length;
  const kept = [answer];
  for (const older of answers) {
    room -= older.text.length;
    if (room < 0 || kept.length === mostAnswers) break;
    kept.push(older);
  }
  return kept;
}

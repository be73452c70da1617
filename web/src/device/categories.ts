/** Answers that are numbered 0 … k − 1. */

import { InvalidAnswer } from "./errors";

/** Refuse a number that is no answer. The error says where, never what. */
export function checkAnswers(values: readonly unknown[], k: number): void {
  const where = values.findIndex(
    (value) => typeof value !== "number" || !Number.isInteger(value) || value < 0 || value >= k,
  );
  if (where >= 0) {
    throw new InvalidAnswer(
      `the answer at position ${where} is not one of 0 to ${k - 1} (nothing was randomised)`,
    );
  }
}

/** A kind of question that this page doesn't know: it says so, and draws nothing. */

import { useWords } from "../language";
import { choice } from "./choice";
import type { Kind } from "./interface";

export const other: Kind = {
  ...choice,
  figures: () => [],
  isDrawn: false,
  Result: Unknown,
  Change: null,
  History: null,
  TooFew: Unknown,
};

function Unknown() {
  return <p class="notice">{useWords().otherKind}</p>;
}

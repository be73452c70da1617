/** What a collector can conclude from one report: how likely each answer is after it. */

import { useState } from "preact/hooks";

import type { Conclusion } from "../device";
import { whole } from "../language";
import { Bars, WHOLE } from "../page/bars";
import { upTo } from "../page/numbers";
import { useWords } from "./language";

/** So many of a long list are shown, the likeliest; a list that is hardly longer is shown whole. */
const SHOWN = 12;
const LONG = 15;

export function Likelihoods({ conclusion }: { readonly conclusion: Conclusion }) {
  const words = useWords();
  const [isOpen, open] = useState(false);
  const { answers, posterior, ratio, most } = conclusion;
  const bars = answers.map((label, i) => ({ label, share: posterior[i] as number }));
  const isFolded = bars.length > LONG && !isOpen;
  const likeliest = isFolded ? [...bars].sort((a, b) => b.share - a.share).slice(0, SHOWN) : bars;
  const count = whole(words, bars.length);
  return (
    <>
      <Bars bars={likeliest} label={words.conclude} scale={WHOLE} dense={bars.length > LONG} />
      {isFolded && (
        <p class="ways">
          <button type="button" onClick={() => open(true)}>
            {words.showAll(count)}
          </button>
          {words.likeliest(whole(words, SHOWN), count)}
        </p>
      )}
      <p>{ratio === 1 ? words.concludeEqual : words.concludeMost(upTo(ratio, 3), upTo(most, 3))}</p>
    </>
  );
}

/** What a collector can conclude from one report: how likely each answer is after it. */

import type { Conclusion } from "../device";
import { Bars, WHOLE } from "../page/bars";
import { upTo } from "../page/numbers";
import { useWords } from "./language";

export function Likelihoods({ conclusion }: { readonly conclusion: Conclusion }) {
  const words = useWords();
  const { answers, posterior, ratio, most } = conclusion;
  const bars = answers.map((label, i) => ({ label, share: posterior[i] as number }));
  return (
    <>
      <Bars bars={bars} label={words.conclude} scale={WHOLE} />
      <p>{words.concludeMost(upTo(ratio, 3), upTo(most, 3))}</p>
    </>
  );
}

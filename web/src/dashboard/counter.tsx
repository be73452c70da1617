/** How many reports there are, and how they have come in during the last hour. */

import type { Standing } from "../collector/api";
import { whole } from "../language";
import { useWords } from "./language";

const HEIGHT = 40;

export function Counter({ standing }: { readonly standing: Standing }) {
  const words = useWords();
  const { reports, per_minute: minutes } = standing;
  const most = Math.max(1, ...minutes);
  return (
    <section class="card counter">
      <h2>{words.reportsTitle}</h2>
      <p class="count">{whole(words, reports)}</p>
      <svg
        role="img"
        aria-label={words.perMinute}
        viewBox={`0 0 ${minutes.length} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {minutes.map((count, minute) => (
          <rect
            key={minute}
            x={minute + 0.1}
            width="0.8"
            y={HEIGHT - (HEIGHT * count) / most}
            height={(HEIGHT * count) / most}
          />
        ))}
        <line x1="0" x2={minutes.length} y1={HEIGHT} y2={HEIGHT} />
      </svg>
      <p class="fine">
        {words.perMinute}: {words.perMinuteNow(whole(words, minutes.at(-1) ?? 0))}
      </p>
    </section>
  );
}

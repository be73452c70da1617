/** Every mechanism that grants the wishes, and what people would have to trust without one. */

import { whole } from "../language";
import { upTo } from "../page/numbers";
import { Table } from "../page/table";
import { epsilonText, mechanismName, percentText, short, valueText } from "./advice";
import type { Plan, Row } from "./answer";
import { useWords, type Words } from "./language";

const MICRO = 1000; // nanoseconds

interface Column {
  readonly head: string;
  readonly cell: (row: Row) => string;
  readonly fits: boolean;
}

/** The columns of a plan, in their order: `results/planning.py` has the same. */
function columnsOf(words: Words, plan: Plan): readonly Column[] {
  const { columns } = words;
  const { found, goal, kind, wishes, recommended: best, mechanisms: rows } = plan;
  const text = (value: number | null): string => valueText(words, plan, value);
  const reaches = (each: "smallest_share" | "difference"): boolean =>
    goal !== each && rows.some((row) => row[each] !== null);
  const all: readonly Column[] = [
    { head: columns.people, cell: ({ people }) => whole(words, people), fits: found === "people" },
    {
      head: columns.epsilon,
      cell: ({ epsilon }) => epsilonText(words, epsilon),
      fits: found === "epsilon",
    },
    {
      head: kind === "stream" ? columns.round : columns.error,
      cell: ({ error }) => text(error),
      fits: found === "error" || goal !== "error",
    },
    {
      head: columns.smallest,
      cell: ({ smallest_share }) => text(smallest_share),
      fits: reaches("smallest_share"),
    },
    {
      head: columns.difference,
      cell: ({ difference }) => text(difference),
      fits: wishes.compare !== null && reaches("difference"),
    },
    { head: columns.bytes, cell: ({ bytes }) => whole(words, bytes), fits: true },
    {
      head: columns.forged,
      cell: ({ forger_moves: moved }) => (moved === null ? words.none : percentText(words, moved)),
      fits: true,
    },
    {
      head: columns.year,
      cell: ({ year_epsilon: year }) => (year === null ? words.none : upTo(year, 3)),
      fits: best.year_epsilon !== null,
    },
    {
      head: columns.device,
      cell: ({ device_ns }) => costText(words, device_ns),
      fits: rows.some((row) => row.device_ns !== null),
    },
    {
      head: columns.server,
      cell: ({ server_ns }) => costText(words, server_ns),
      fits: rows.some((row) => row.server_ns !== null),
    },
  ];
  return all.filter(({ fits }) => fits);
}

/** The time for one report: 12 ns, 3.4 µs. */
function costText(words: Words, nanoseconds: number | null): string {
  if (nanoseconds === null) return words.none;
  const isShort = nanoseconds < MICRO;
  const [value, unit] = isShort ? [nanoseconds, "ns"] : [nanoseconds / MICRO, "µs"];
  return `${short(words, value, 2)}\u00a0${unit}`;
}

export function Mechanisms({ plan }: { readonly plan: Plan }) {
  const words = useWords();
  const columns = columnsOf(words, plan);
  const heads = columns.map(({ head }) => head);
  const { columnsWhy } = words;
  const notes = [
    heads.includes(words.columns.smallest) && columnsWhy.smallest,
    columnsWhy.forged,
    heads.includes(words.columns.year) && columnsWhy.year,
    heads.includes(words.columns.device) && columnsWhy.costs,
  ];
  const left = plan.left_out.map(({ mechanism, bytes }) =>
    words.leftOutOne(mechanismName(words, plan, mechanism), whole(words, bytes)),
  );
  return (
    <section class="card">
      <h2>{words.mechanismsTitle}</h2>
      <Table
        heads={[words.columns.mechanism, ...heads]}
        rows={plan.mechanisms.map((row) => [
          mechanismName(words, plan, row.mechanism),
          ...columns.map(({ cell }) => cell(row)),
        ])}
        marked={{ row: 0, says: words.recommended }}
      />
      <p class="fine">{notes.filter(Boolean).join(" ")}</p>
      {left.length > 0 && (
        <p class="fine">
          {words.leftOut(
            whole(words, plan.wishes.most_bytes),
            new Intl.ListFormat(words.locale).format(left),
          )}
        </p>
      )}
    </section>
  );
}

export function Trust({ plan }: { readonly plan: Plan }) {
  const words = useWords();
  if (plan.models.length === 0) return null;
  const findsPeople = plan.found === "people";
  return (
    <section class="card">
      <h2>{words.trust}</h2>
      <p class="fine">{words.trustWhy}</p>
      <Table
        heads={[words.trusted, findsPeople ? words.columns.people : words.curveGoals[plan.goal]]}
        rows={plan.models.map(({ model, people, error, exact }) => {
          const text = findsPeople ? whole(words, people) : valueText(words, plan, error);
          return [words.models[model], exact ? text : words.atBest(text)];
        })}
      />
    </section>
  );
}

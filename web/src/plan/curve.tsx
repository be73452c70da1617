/** What the recommended mechanism takes along ε: people, or what they reach, with the plan marked. */

import { useRef, useState } from "preact/hooks";

import { whole } from "../language";
import { Table } from "../page/table";
import { useWidth } from "../page/width";
import { epsilonText, mechanismName, valueText } from "./advice";
import type { CurvePoint, Plan } from "./answer";
import { useWords, type Words } from "./language";
import { isOn, logScale, placeOn, ticksOf } from "./scale";

const HEIGHT = 280;
const LEFT = 60;
const RIGHT = 20;
const TOP = 30;
const BOTTOM = 46;
const LINES = 6;
const EPSILONS = [0.125, 0.25, 0.5, 1, 2, 4, 8, 16]; // with a mark

export function Curve({ plan }: { readonly plan: Plan }) {
  const words = useWords();
  const points = plan.curve.filter((point) => heightOf(plan, point) !== null);
  if (points.length < 2) return null;
  const title = heightTitle(words, plan);
  const mechanism = mechanismName(words, plan, plan.recommended.mechanism);
  const label = `${words.curve} ${words.curveBy(mechanism)}`;
  const rows = points.map((point) => [
    epsilonText(words, point.epsilon),
    heightText(words, plan, point),
  ]);
  return (
    <section class="card curve">
      <h2>{words.curve}</h2>
      <p class="fine">{words.curveBy(mechanism)}</p>
      <Drawing plan={plan} points={points} label={label} title={title} />
      <details>
        <summary>{words.asTable}</summary>
        <Table heads={[words.columns.epsilon, title]} rows={rows} />
      </details>
    </section>
  );
}

interface DrawingProps {
  readonly plan: Plan;
  readonly points: readonly CurvePoint[];
  readonly label: string;
  readonly title: string;
}

function Drawing({ plan, points, label, title }: DrawingProps) {
  const words = useWords();
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [pointed, point] = useState<number | null>(null);
  const best = plan.recommended;
  const planned = points.findIndex(({ epsilon }) => epsilon === best.epsilon);
  const height = (each: CurvePoint): number => heightOf(plan, each) as number;
  const across = logScale(points.map(({ epsilon }) => epsilon));
  const up = logScale(points.map(height));
  const x = (epsilon: number): number => LEFT + placeOn(across, epsilon) * (width - LEFT - RIGHT);
  const y = (value: number): number =>
    HEIGHT - BOTTOM - placeOn(up, value) * (HEIGHT - TOP - BOTTOM);
  const at = (each: CurvePoint): string =>
    `${x(each.epsilon).toFixed(1)},${y(height(each)).toFixed(1)}`;
  const read = (index: number): string => {
    const each = points[index] as CurvePoint;
    const epsilon = epsilonText(words, each.epsilon);
    const said = words.pointAt(epsilon, heightText(words, plan, each));
    return index === planned ? `${said} (${words.thePlan})` : said;
  };

  const find = (clientX: number): void => {
    const from = box.current?.getBoundingClientRect().left ?? 0;
    const far = ({ epsilon }: CurvePoint): number => Math.abs(x(epsilon) + from - clientX);
    point(
      points.reduce((near, each, i) => (far(each) < far(points[near] as CurvePoint) ? i : near), 0),
    );
  };
  const press = (event: KeyboardEvent): void => {
    const from = pointed ?? Math.max(0, planned);
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: pointed === null ? from : from + 1,
      ArrowLeft: pointed === null ? from : from - 1,
      Home: 0,
      End: points.length - 1,
    };
    const to = steps[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    point(Math.max(0, Math.min(points.length - 1, to)));
  };
  const marked = pointed ?? planned;
  const mark = points[marked];
  return (
    <div class="series" ref={box}>
      <svg
        role="slider"
        tabindex={0}
        aria-label={label}
        aria-valuemin={1}
        aria-valuemax={points.length}
        aria-valuenow={Math.max(0, marked) + 1}
        aria-valuetext={marked >= 0 ? read(marked) : words.pointHint}
        width={width}
        height={HEIGHT}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        onPointerDown={({ clientX }) => find(clientX)}
        onPointerMove={({ clientX }) => find(clientX)}
        onPointerLeave={() => point(null)}
        onBlur={() => point(null)}
        onKeyDown={press}
      >
        {ticksOf(up, LINES).map((tick) => (
          <g key={tick}>
            <line class="line" x1={LEFT} x2={width - RIGHT} y1={y(tick)} y2={y(tick)} />
            <text class="side" x={LEFT - 8} y={y(tick) + 4}>
              {tickText(words, plan, tick)}
            </text>
          </g>
        ))}
        <line class="zero" x1={LEFT} x2={width - RIGHT} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM} />
        {EPSILONS.filter((tick) => isOn(across, tick)).map((tick) => (
          <text key={tick} x={x(tick)} y={HEIGHT - BOTTOM + 20}>
            {epsilonText(words, tick)}
          </text>
        ))}
        <text x={(LEFT + width - RIGHT) / 2} y={HEIGHT - 6}>
          {words.columns.epsilon}
        </text>
        <text class="first" x={0} y={14}>
          {title}
        </text>
        {mark && (
          <path
            class="pointer"
            d={`M${LEFT} ${y(height(mark))}H${x(mark.epsilon)}V${HEIGHT - BOTTOM}`}
          />
        )}
        <path class="share-line" d={`M${points.map(at).join("L")}`} />
        {points.map((each, i) => (
          <circle
            key={each.epsilon}
            class={i === planned ? "the-plan" : "share-dot"}
            cx={x(each.epsilon)}
            cy={y(height(each))}
            r={i === planned ? 7 : i === pointed ? 5 : 3}
          />
        ))}
      </svg>
      <p class="readout" aria-hidden="true">
        {marked >= 0 ? read(marked) : words.pointHint}
      </p>
    </div>
  );
}

/** What is drawn at an ε: people, if they are found, else what they reach. */
function heightOf({ found }: Plan, { people, error }: CurvePoint): number | null {
  return found === "people" ? people : error;
}

function heightText(words: Words, plan: Plan, point: CurvePoint): string {
  if (plan.found === "people") return words.peopleCount(whole(words, point.people), point.people);
  return valueText(words, plan, point.error);
}

function heightTitle(words: Words, { found, kind, goal }: Plan): string {
  if (found === "people") return words.curvePeople;
  return kind === "stream" ? words.curveRound : words.curveGoals[goal];
}

/** What stands beside a line: numbers of people as short as they get. */
function tickText(words: Words, plan: Plan, tick: number): string {
  if (plan.found !== "people") return valueText(words, plan, tick);
  return new Intl.NumberFormat(words.locale, { notation: "compact" }).format(tick);
}

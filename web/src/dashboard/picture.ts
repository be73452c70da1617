/** The chart that is seen as a picture of its own: its title, what it shows, and where it is from. */

const WIDTH = 960;
const EDGE = 32;
const ROW = 32;
const LINE = 22;
const MOST_LABELS = 260; // pixels for names
const GAP = 20;
const VALUES = 230;
const SHARPNESS = 2; // pixels of a PNG for each
const FONT =
  '-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",Arial,"Hiragino Sans",' +
  '"Yu Gothic UI","Noto Sans JP","Noto Sans CJK JP",IPAPGothic,sans-serif';
const COLOURS = ["paper", "ink", "soft", "rule", "edge", "accent", "bar", "below", "truth"];

/** What stands around a chart. */
export interface Caption {
  readonly title: string;
  readonly subtitle: string;
  /** Lines below: notes on the intervals, the source. */
  readonly notes: readonly string[];
}

/** An SVG file of the chart in an element, in the light theme whatever the page's is. */
export function pictureOf(chart: Element, caption: Caption): string {
  const series = chart.querySelector(".series svg");
  const [inner, height] = series ? seriesPart(series) : barsPart(chart);
  const top = EDGE + 2 * LINE + 24;
  const notes = caption.notes.flatMap((note) => wrapped(note));
  const whole = top + height + 24 + notes.length * LINE + EDGE / 2;
  const line = (text: string, at: number, kind: string): string =>
    `<text class="${kind}" x="${EDGE}" y="${at}">${escaped(text)}</text>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${whole}" ` +
    `viewBox="0 0 ${WIDTH} ${whole}"><style>${style()}</style>` +
    `<rect class="paper" width="100%" height="100%"/>` +
    line(caption.title, EDGE + 16, "title") +
    line(caption.subtitle, EDGE + 16 + LINE + 4, "note") +
    `<svg x="${EDGE}" y="${top}" width="${WIDTH - 2 * EDGE}" height="${height}" ` +
    `overflow="visible">${inner}</svg>` +
    notes.map((note, i) => line(note, top + height + 40 + i * LINE, "note")).join("") +
    "</svg>"
  );
}

/** The same as a PNG; rejected where the browser can't draw it. */
export async function pngOf(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = SHARPNESS * image.width;
  canvas.height = SHARPNESS * image.height;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((keep, refuse) =>
    canvas.toBlob((blob) => (blob ? keep(blob) : refuse(new Error("no picture")))),
  );
}

/** A share over time, as it is drawn. */
function seriesPart(series: Element): [string, number] {
  const [width, height] = [series.clientWidth || WIDTH, series.clientHeight || WIDTH / 3];
  const inner = WIDTH - 2 * EDGE;
  const drawn = [...series.children].filter((each) => !each.classList.contains("pointer"));
  return [
    `<svg viewBox="0 0 ${width} ${height}" width="${inner}" ` +
      `height="${(height * inner) / width}" overflow="visible">${serialised(drawn)}</svg>`,
    (height * inner) / width,
  ];
}

/** Bars, each with its name and its numbers beside it. */
function barsPart(chart: Element): [string, number] {
  const bars = [...chart.querySelectorAll(".bar")];
  const inner = WIDTH - 2 * EDGE;
  const textOf = (bar: Element, part: string): string =>
    (bar.querySelector(part)?.textContent ?? "").trim();
  const measure = measureIn(`15px ${FONT}`);
  const names = bars.map((bar) => shortened(textOf(bar, ".bar-label"), measure));
  const labels = Math.max(...names.map(measure)) + GAP;
  const rows = bars.map((bar, i) => {
    const drawn = serialised([...(bar.querySelector("svg")?.children ?? [])]);
    const middle = i * ROW + 21;
    const at = `x="${labels}" width="${inner - labels - VALUES}" height="${ROW}"`;
    return (
      `<text class="name" x="0" y="${middle}">${escaped(names[i] as string)}</text>` +
      `<svg ${at} y="${i * ROW}" overflow="visible">${drawn}</svg>` +
      `<text class="value" x="${inner - 140}" y="${middle}">${escaped(textOf(bar, ".bar-value b"))}</text>` +
      `<text class="ends" x="${inner}" y="${middle}">${escaped(textOf(bar, ".bar-value small"))}</text>`
    );
  });
  return [rows.join(""), bars.length * ROW];
}

function serialised(elements: readonly Element[]): string {
  const writer = new XMLSerializer();
  return elements
    .map((each) => writer.serializeToString(each))
    .join("")
    .replaceAll(' xmlns="http://www.w3.org/2000/svg"', "");
}

function escaped(text: string): string {
  const known: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
  return text.replace(/[&<>]/g, (letter) => known[letter] as string);
}

type Measure = (text: string) => number;

/** How wide texts are in a font. */
function measureIn(font: string): Measure {
  const context = document.createElement("canvas").getContext("2d");
  if (!context) throw new Error("this browser can't measure texts");
  context.font = font;
  return (text) => context.measureText(text).width;
}

function shortened(name: string, measure: Measure): string {
  const letters = [...name];
  if (measure(name) <= MOST_LABELS) return name;
  while (letters.length > 1 && measure(`${letters.join("")}…`) > MOST_LABELS) letters.pop();
  return `${letters.join("")}…`;
}

/** A note in lines that fit; Japanese may break after any letter. */
function wrapped(note: string): readonly string[] {
  const measure = measureIn(`13px ${FONT}`);
  const lines = [""];
  for (const part of note.match(/[\u3000-\uffef]|[^\s\u3000-\uffef]+\s*|\s+/gu) ?? []) {
    const longer = lines.at(-1) + part;
    if (measure(longer.trimEnd()) > WIDTH - 2 * EDGE) lines.push(part);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line) => line.trim());
}

/** The rules of the page for what is drawn, with the colours of the light theme. */
function style(): string {
  const root = document.documentElement;
  const theme = root.dataset["theme"];
  root.dataset["theme"] = "light"; // nothing is painted before it is back
  const found = getComputedStyle(root);
  const colour = Object.fromEntries(
    COLOURS.map((name) => [name, found.getPropertyValue(`--${name}`).trim()]),
  ) as Readonly<Record<string, string>>;
  if (theme === undefined) delete root.dataset["theme"];
  else root.dataset["theme"] = theme;
  return [
    `text{font:13px ${FONT};fill:${colour["soft"]};text-anchor:middle}`,
    `.title{font-size:22px;font-weight:600;fill:${colour["ink"]}}`,
    ".title,.note,.name,.first{text-anchor:start}.value,.ends,.side{text-anchor:end}",
    `.name,.value{font-size:15px;fill:${colour["ink"]}}.value{font-weight:600}`,
    `.paper{fill:${colour["paper"]}}.line{stroke:${colour["rule"]}}`,
    `.zero{stroke:${colour["edge"]};stroke-width:1.5}.fill{fill:${colour["bar"]}}`,
    `.fill.below{fill:${colour["below"]}}.whisker{stroke:${colour["ink"]};stroke-width:1.75}`,
    ".doubtful{stroke-dasharray:3 3}.band,.interval{fill:" + `${colour["bar"]}}`,
    ".band{opacity:.22}.interval{opacity:.4}.share-line,.truth-line{fill:none;stroke-width:2.25}",
    `.share-line{stroke:${colour["accent"]}}.share-dot{fill:${colour["accent"]}}`,
    `.point{fill:${colour["bar"]};stroke:${colour["ink"]}}`,
    `.truth{fill:${colour["truth"]}}.truth-line{stroke:${colour["truth"]};stroke-dasharray:5 4}`,
  ].join("");
}

/** What the planner says, in Japanese. */

import { common } from "../../language/ja";
import type { Advice, Estimated } from "../advice";
import type { OutOf } from "../sense";
import type { PlanWords } from "./en";

const NUMBERS = new Intl.NumberFormat("ja");
const times = ({ right, of }: OutOf): string =>
  `${NUMBERS.format(of)}\u00a0回中\u00a0${NUMBERS.format(right)}\u00a0回`;

const ESTIMATED: Readonly<Record<Estimated, string>> = {
  rare: "ほとんど選ばれない選択肢の割合",
  mean: "平均",
  bin: "ひとつの区間の割合",
  people: "人の割合",
};

function known({ estimated, share, isCompared, error }: Advice): string {
  const what = share === null ? ESTIMATED[estimated] : `${share} の人が選ぶ選択肢の割合`;
  const whole = isCompared ? `${what}の 2 グループ間の差` : what;
  return `${whole}が ±${error} の精度でわかります`;
}

export const words: PlanWords = {
  ...common,
  subject: "調査を計画する",
  intro:
    "ε はいくつにするか、何人に尋ねるか、どの方式を使うか、そして何が見えるか。誰にも尋ねないうちに、各方式の性質そのものから計算します。",
  toDashboard: "集計サーバーの画面へ",
  copy: "コピー",
  copied: "コピーしました",
  strange: (names) =>
    `アドレスの中の ${names} は、読み取れないか、この計画では使えません。代わりに標準の値を表示しています。`,
  asks: "回答の形式",
  kinds: {
    choice: "ひとつ選ぶ",
    several: "いくつか選ぶ",
    number: "数値",
    questions: "複数の質問",
    text: "自由記述",
    stream: "状態の推移",
    joint: "二者での集計",
  },
  kindsWhy: {
    choice: "選択肢からひとつ選びます。それぞれの割合を推定します。",
    several: "チェックボックスです。それぞれを選んだ人の割合を推定します。",
    number: "決めた範囲の数値です。平均か分布を推定します。",
    questions: "複数の質問にひとつずつ答えます。ε は全問を合わせたものです。",
    text: "書かれた文章を、用意した候補の中から見つけ出します。",
    stream: "ラウンドごとに、各人は 2 つの状態のどちらかにあります。その割合の推移を推定します。",
    joint: "二者が、どちらも知らない雑音を加えながら、人々の持つ値を合計します。",
  },
  find: "何を求めますか",
  finds: { people: "人数", epsilon: "ε", error: "精度" },
  findsWhy: {
    people: "ε と、必要な精度を決めます。それに何人必要かを求めます。",
    epsilon: "人数と、必要な精度を決めます。それにどの ε が必要かを求めます。",
    error: "人数と ε を決めます。結果の精度がどれくらいになるかを求めます。",
  },
  isFound: "（求めた値）",
  slider: (title) => `${title}（スライダー）`,
  people: "尋ねる人数",
  epsilonTitle: "ε（一人が送るものすべてに対して）",
  epsilon: (epsilon) => `ε = ${epsilon}`,
  aim: "目標",
  aims: {
    error: "誤差の上限",
    smallest_share: "見つけたい割合",
    difference: "見つけたい 2 グループの差",
  },
  aimsWhy: {
    error: "結果に付く区間の幅の半分です。",
    smallest_share: "この割合なら、区間が 0 より上に収まります。",
    difference: "この差なら、差の区間が 0 を含みません。",
  },
  titles: {
    answers: "選択肢の数",
    most: "一人が選べる最大数",
    least: "最小",
    largest: "最大",
    step: "きざみ",
    found_out: "知りたいこと",
    bins: "区間の数",
    sizes: "各質問の選択肢の数",
    associate: "質問どうしの関連も調べる",
    candidates: "候補の数",
    false_discoveries: "誰も書いていない文章を見つけてしまう確率",
    rounds: "ラウンド数",
    low: "見込まれる割合の下限",
    high: "見込まれる割合の上限",
    most_each: "一人が持つ値の最大",
    delta: "δ（ε を超える確率）",
    level: "区間の信頼水準",
    power: "見つけたいものが見つかる確率",
    response_rate: "尋ねた人のうち回答する割合",
    share: "対象とする選択肢の割合",
    compare: "2 つのグループの一方の割合",
    visits: "一人に尋ねる回数",
    changes: "そのうち回答が変わる最大回数",
    population: "尋ねる人は、より大きな集団からの標本である",
    most_bytes: "報告の最大バイト数",
  },
  hints: {
    sizes: "コンマで区切ってください。例：3, 5, 2",
    bins: "空欄なら標準の数になります。",
    associate: "関連がわかるように計画します。",
    candidates: "この数の文章の中から探します。",
    low: "狭い範囲を見込むほど、その範囲での精度が上がります。",
    most_each: "1 なら「はい」か「いいえ」です。",
    share: "0 は、ほとんど選ばれない選択肢です。",
    compare:
      "全体に占める割合です。空欄ならグループに分けません。分けると、誤差は差についてのものになります。",
    visits: "ε は全回を合わせたものです。",
    changes: "空欄なら、毎回変わるものとします。",
    population: "元の集団での割合を推定します。",
    most_bytes: "報告がこれより長い方式は除きます。",
  },
  findings: { mean: "平均", distribution: "分布" },
  further: "詳しい条件",
  allowed: {
    whole: (from, to) => `${from} から ${to} までの整数を入力してください。`,
    wholeFrom: (from) => `${from} 以上の整数を入力してください。`,
    number: "0 より大きい数を入力してください。",
    epsilon: "0 より大きく 20 以下の数を入力してください。",
    delta: "0 より大きく 0.5 より小さい数を入力してください。",
    decimal: "18 や 0.5 のような数を入力してください。",
    percent: (from, to) => `${from} から ${to} までの数をパーセントで入力してください。`,
    sizes: "2 以上の整数を、コンマで区切って 2 つ以上入力してください。",
  },
  reckoning: "計算しています…",
  recommended: "おすすめ",
  answered: "計画",
  advice: (advice) => {
    const visits = advice.visits === null ? "" : `、${advice.visits} 回分の合計`;
    const at = advice.epsilon === null ? "" : `（ε = ${advice.epsilon}${visits}）`;
    const answering = advice.reports === null ? "" : `（うち ${advice.reports} 人が回答）`;
    const asked = `${advice.mechanism}${at}で ${advice.people} 人${answering}に尋ねると、`;
    const seen = times(advice.power);
    switch (advice.shows) {
      case "round":
        return `${asked}誤差が最も大きいラウンドでも、ずれは平均 ${advice.error} です。`;
      case "text":
        return `${asked}${advice.smallest} の人が書いた文章を、${seen}見つけられます。`;
      case "difference": {
        const groups = advice.compare === null ? "" : `（一方が ${advice.compare}）`;
        return `${asked}${known(advice)}。2 つのグループ${groups}に ${advice.difference} の差があれば、${seen}見つけられます。`;
      }
      case "share":
        return `${asked}${known(advice)}。${advice.smallest} の人が選ぶ選択肢なら、${seen}見つけられます。`;
      default:
        return `${asked}${known(advice)}。`;
    }
  },
  mechanisms: {
    sample: "一人 1 問ずつ",
    split: "ε を各質問に分ける",
    joint: "全問を 1 つの表にする",
  },
  tables: (epsilon) => `ε = ${epsilon} の表`,
  beware: "ご注意：",
  averageUnseen: (average, smallest) =>
    `平均的な選択肢（${average}）は見えません。` +
    (smallest === null
      ? "見える選択肢はありません。"
      : `見えるのは、${smallest} 以上の人が選ぶ選択肢だけです。`),
  rough: "報告が少ないため、区間は信頼水準を保てません。おおまかな目安とお考えください。",
  meaning: "この ε の意味",
  bet: (bet) =>
    `ある人の報告をすべて見た上で、2 つの回答のどちらが本当かを賭けても、当たるのは最大で ${times(bet)}です。`,
  strengths: [
    "コイン投げとほとんど変わらず、誰についても何もわからないに等しい値です。",
    "コイン投げに近く、どの回答も「そうは答えていない」と言い張れます。",
    "コイン投げよりは当たりますが、どの回答もまだ「そうは答えていない」と言えます。",
    "たいていは本当のことがわかります。まだ否定はできますが、説得力は落ちます。",
    "ほぼいつも本当のことがわかります。守られるのは、わずかな疑いの余地だけです。",
    "本当のことがわかるのと同じです。誰も守られません。",
  ],
  lowEnd: (epsilon, bet) => `${epsilon}：コイン投げ同然（的中 ${times(bet)}）`,
  highEnd: (epsilon, bet) => `${epsilon}：ほぼ筒抜け（的中 ${times(bet)}）`,
  between: (bet) => `2 つの回答のどちらかに賭けて、当たるのは最大で ${times(bet)}です。`,
  fitsOwn: (of, fits) =>
    `ある回答を選んだ ${of} 人のうち、その回答に合う報告を送るのは ${fits} 人です。`,
  fitsOther: (of, fits) => `選ばなかった ${of} 人のうちでも、${fits} 人が合う報告を送ります。`,
  curve: "ε を変えた場合",
  curveBy: (mechanism) => `おすすめの方式（${mechanism}）での値です。`,
  curvePeople: "人数",
  curveGoals: {
    error: "誤差",
    smallest_share: "見える最小の割合",
    difference: "見える最小の差",
  },
  curveRound: "誤差が最も大きいラウンドのずれ",
  pointHint: "グラフを指すか、矢印キーを使うと、数字が読めます。",
  pointAt: (epsilon, value) => `ε = ${epsilon}：${value}`,
  peopleCount: (people) => `${people} 人`,
  thePlan: "この計画",
  asTable: "表で見る",
  mechanismsTitle: "使える方式",
  columns: {
    mechanism: "方式",
    people: "人数",
    epsilon: "ε",
    error: "誤差 ±",
    round: "最大のずれ",
    smallest: "見える割合",
    difference: "見える差",
    bytes: "バイト",
    forged: "1\u00a0% 偽造",
    year: "年間 ε",
    device: "端末",
    server: "サーバー",
  },
  columnsWhy: {
    smallest: "見える割合：求めた確率で見つけられる最小の割合。",
    forged:
      "1\u00a0% 偽造：報告の 1\u00a0% を偽造されたとき、誰も選んでいない選択肢の割合が最大でどれだけ上がるか（平均なら、範囲に対してどれだけ動くか）。",
    year: "年間 ε：毎週尋ねた場合に、一人が 1 年で消費する最大の ε。",
    costs: "端末・サーバー：報告 1 件の作成と集計にかかる時間。",
  },
  leftOut: (most, names) => `報告が ${most} バイトを超えるため除いた方式：${names}。`,
  leftOutOne: (name, bytes) => `${name}（${bytes}）`,
  trust: "誰を信頼してもらうか",
  trustWhy: "信頼のしかたを変えると、同じ条件でどうなるかです。",
  trusted: "信頼する相手",
  models: {
    randomised: "誰も信頼しなくてよい：回答は送信前にランダム化される",
    two_parties: "二者：どちらか一方が誠実であればよい",
    curator: "管理者：すべての回答を見る",
  },
  atBest: (text) => `${text}（最良の場合）`,
  none: "なし",
  next: "次にすること",
  nextWhy: "次のコマンドで、この調査を作成できます。",
  nextJoint: "次のコマンドで、二者での集計を用意できます。",
  copyAddress: "この計画のアドレスをコピー",
  address: "このページのアドレスには計画のすべてが入っています。そのまま送って相談できます。",
  make: "この調査を作成する",
  makeWhy: "決まっていない文言だけを尋ねます。",
  refused: "この条件では計画できません",
  refusals: {
    white_noise: ({ people, epsilon }) =>
      people === null
        ? `ε = ${epsilon} では、結果は雑音に埋もれます。当てずっぽうと変わりません。`
        : epsilon === null
          ? `${people} 人では、結果は雑音に埋もれます。当てずっぽうと変わりません。`
          : `ε = ${epsilon} で ${people} 人に尋ねても、結果は雑音に埋もれます。当てずっぽうと変わりません。`,
    out_of_reach: ({ people, epsilon }) =>
      people === null
        ? `ε = ${epsilon} では、何人に尋ねても届きません。`
        : `${people} 人では、ε をいくら大きくしても届きません。`,
    too_long: () => "報告がそこまで短い方式はありません。",
  },
  refusedOther: "計画できない理由（英語）：",
  waysOut: "こうすれば計画できます",
  ways: {
    people: (value) => `${value} 人に尋ねる`,
    epsilon: (value) => `ε = ${value} にする`,
    answers: (value) => `選択肢を ${value} 個にまとめる`,
    error: (value) => `誤差 ±${value} でよしとする`,
    smallest_share: (value) => `${value} 以上の割合が見えればよしとする`,
    difference: (value) => `${value} 以上の差が見えればよしとする`,
    most_bytes: (value) => `報告を ${value} バイトまで許す`,
  },
  unreadable: "読み取れない入力があります。直すと計画が表示されます。",
};

/** What both pages say, in Japanese. */

import type { CommonWords } from "./en";

const NUMBERS = new Intl.NumberFormat("ja");

/** So many of something, with its counter: 報告 2,000 件, 2 人. */
export function counted(count: number, counter: string): string {
  return `${NUMBERS.format(count)} ${counter}`;
}

export const common: CommonWords = {
  locale: "ja",
  title: "簾 Sudare",
  language: "言語",
  theme: "表示",
  themes: { auto: "自動", light: "明るい", dark: "暗い" },
  percent: (text) => `${text}\u00a0%`,
  range: (low, high) => `${low}～${high}\u00a0%`,
  failed: (reason) => `うまくいきませんでした：${reason}`,
  noAnswer: "集計サーバーに接続できません",
  problems: {
    busy: "混み合っています",
    computing: "計算しています",
    internal: "集計サーバーで問題が起きました（記録済みです）",
    not_found: "このアドレスにページはありません",
    stopping: "集計サーバーが停止中です",
    store_unavailable: "集計サーバーが現在データを保存できません",
    unknown_collection: "この調査は見つかりません",
  },
  grrOdds: (answer, people, others) =>
    `「${answer}」を選んだ ${people.of} 人のうち、約 ${people.truth} 人は「${answer}」のまま、` +
    (others === 1
      ? `約 ${people.other} 人はもう一方の回答に変わって送信されます。`
      : `ほかの回答には、それぞれ約 ${people.other} 人ずつ変わって送信されます。`),
  unaryOdds: (answer, people) =>
    `すべての選択肢に、別々のくじ引きで「はい」か「いいえ」を付けて送信します。「${answer}」を選んだ ${people.of} 人のうち、` +
    `「${answer}」が「はい」になるのは約 ${people.truth} 人です。選んでいない選択肢も、それぞれ約 ${people.other} 人で「はい」になります。`,
  subsetOdds: (size, answers, answer, people) =>
    `${answers} 個の選択肢のうち、くじ引きで決めた ${size} 個に「はい」、残りに「いいえ」を付けて送信します。「${answer}」を選んだ ${people.of} 人のうち、` +
    `「${answer}」が「はい」になるのは約 ${people.truth} 人です。選んでいない選択肢も、それぞれ約 ${people.other} 人で「はい」になります。`,
  setOdds: (size, blanks, answer, people) =>
    `送信データに入るのは、選択肢と、選ばなかった分を埋める空欄（${blanks} 個）のうち ${size} 個です。` +
    `「${answer}」を選んだ ${people.of} 人のうち約 ${people.truth} 人、選ばなかった ${people.of} 人のうちでも約 ${people.other} 人の送信データに「${answer}」が入ります。`,
  windowOdds: (width, marks, people) =>
    `送信されるのは、${marks} 個の目印のうちの 1 個です。${people.of} 人のうち約 ${people.truth} 人は自分の数値に近い ${width} 個のどれかを、` +
    `約 ${people.other} 人はそれ以外のどれかを送ります。`,
  sampleOdds: (questions) =>
    `${questions} 問のうちどれを送るかは、回答の内容と関係なく、端末がくじで 1 問だけ選びます。選ばれなかった質問の回答は、この端末から出ません。`,
  splitOdds: (questions) =>
    `${questions} 問すべてについて送信します。その代わり、1 問だけの場合よりも多く「うそ」を混ぜ、全部合わせた消費量が増えないようにしています。`,
  jointOdds: (combinations) =>
    `すべての回答をまとめて、${combinations} 通りの組み合わせから一つを選んだものとして扱います。`,
  ofQuestion: (question, said) => `「${question}」について：${said}`,
  pointOdds: (answer, people) =>
    `番号を一つだけ送信します。番号ごとに、「はい」になる選択肢と「いいえ」になる選択肢が決まっています。「${answer}」を選んだ ${people.of} 人のうち、` +
    `「${answer}」が「はい」の番号を送るのは約 ${people.truth} 人です。選んでいない選択肢も、それぞれ約 ${people.other} 人で「はい」になります。`,
  bitOdds: (bits, ones, people) =>
    `文章は、${bits} か所のスイッチのうち ${ones} か所のオンに置き換えられます。そのうち実際にオンとして送られるのは ${people.of} か所中約 ${people.truth} か所で、` +
    `ほかの場所も ${people.of} か所中約 ${people.other} か所がオンとして送られます。`,
  streamSome: (looks, rounds, people) =>
    `全 ${rounds} 回のうち、各端末が送信するのは、あらかじめくじで決めた ${looks} 回だけです。ほかの回には何も送信しません。` +
    `送信する回では、${people.of} 人のうち約 ${people.truth} 人は本当の状態を、約 ${people.other} 人は逆の状態を送信します。`,
  streamEvery: (rounds, people) =>
    `各端末は、全 ${rounds} 回のすべてで送信します。` +
    `毎回、${people.of} 人のうち約 ${people.truth} 人は本当の状態を、約 ${people.other} 人は逆の状態を送信します。`,
  streamHidden: (looks, rounds, other, people) =>
    `全 ${rounds} 回のうち、各端末が状態を見るのは、あらかじめくじで決めた ${looks} 回だけです。ほかの回は必ず「${other}」と送信します。` +
    `状態を見た回では、${people.of} 人のうち約 ${people.truth} 人は本当の状態を、約 ${people.other} 人は逆の状態を送信します。`,
  costsWhy: (ratio) =>
    `どの内容が送られた場合でも、その出やすさは、回答が違っても最大 ${ratio} 倍しか変わりません。`,
  costsStream: (ratio) =>
    `ひとつの期間に送られる内容全体の出やすさは、状態の移り変わりが違っても最大 ${ratio} 倍しか変わりません。` +
    "消費は、その期間に初めて回答したときの一度だけです。",
  lifetime: (epsilon) => `同じ回答を何度くり返しても、消費量の合計は最大 ε = ${epsilon} です。`,
  changes: (cells, epsilon, shown) =>
    `端末は選択肢を ${cells} 個のグループに分け、選択肢ごとではなくグループごとに、混ぜる乱数を決めて使い続けます。` +
    `そのため、回答が何度変わっても、消費量の合計は最大 ε = ${epsilon} です。` +
    `ただし、回答が別のグループに移ったことまでは隠せません。送信を重ねるうちに、100 件中最大 ${shown} 件で、移ったことがわかります。`,
  keptSum: "集計サーバーに残るのは合計だけです。一人ひとりの送信データは残りません。",
  keptAll: "集計サーバーには、変換後の送信データがすべて残ります。",
};

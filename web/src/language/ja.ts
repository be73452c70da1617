/** What both pages say, in Japanese. */

import type { CommonWords } from "./en";

export const common: CommonWords = {
  locale: "ja",
  title: "簾 Sudare",
  language: "言語",
  theme: "表示",
  themes: { auto: "自動", light: "明るい", dark: "暗い" },
  percent: (text) => `${text}\u00a0%`,
  range: (low, high) => `${low}～${high}\u00a0%`,
  failed: (reason) => `うまくいきませんでした：${reason}`,
  noAnswer: "収集者につながりません",
  problems: {
    busy: "今は混み合っています",
    computing: "計算しています",
    internal: "収集者の側で問題が起き、記録されました",
    not_found: "このアドレスには何もありません",
    stopping: "収集者が停止するところです",
    store_unavailable: "収集者が今は保存できません",
    unknown_collection: "その調査はここにはありません",
  },
  grrOdds: (answer, people, others) =>
    `「${answer}」を選んだ ${people.of} 人のうち、約 ${people.truth} 人が「${answer}」と報告し、` +
    `${others === 1 ? "もう一方の回答" : "ほかの回答それぞれ"}を約 ${people.other} 人が報告します。`,
  unaryOdds: (answer, people) =>
    `報告は、すべての選択肢に「はい」か「いいえ」を別々のくじで付けます。「${answer}」を選んだ ${people.of} 人のうち、` +
    `約 ${people.truth} 人がそれに「はい」と言い、ほかのどの選択肢にも約 ${people.other} 人が「はい」と言います。`,
  bitOdds: (bits, ones, people) =>
    `あなたの文章は ${bits} か所のうち ${ones} か所をオンにします。そのような場所 ${people.of} か所のうち約 ${people.truth} か所がオンと報告され、` +
    `ほかの場所も ${people.of} か所のうち約 ${people.other} か所がオンと報告されます。`,
  streamSome: (looks, rounds, people) =>
    `全 ${rounds} 回のうち、この端末が報告するのは、あらかじめくじで決めた ${looks} 回だけです。ほかの回には何も送りません。` +
    `報告するとき、${people.of} 人のうち約 ${people.truth} 人は本当の状態を、約 ${people.other} 人は逆の状態を報告します。`,
  streamEvery: (rounds, people) =>
    `この端末は、全 ${rounds} 回のすべてで報告します。` +
    `毎回、${people.of} 人のうち約 ${people.truth} 人は本当の状態を、約 ${people.other} 人は逆の状態を報告します。`,
  streamHidden: (looks, rounds, other, people) =>
    `全 ${rounds} 回のうち、この端末があなたの状態を見るのは、あらかじめくじで決めた ${looks} 回だけです。ほかの回は必ず「${other}」と報告します。` +
    `状態を見た回では、${people.of} 人のうち約 ${people.truth} 人は本当の状態を、約 ${people.other} 人は逆の状態を報告します。`,
  costsWhy: (ratio) =>
    `何が送られても、ある回答のときに別の回答のときより起こりやすい度合いは、最大でも ${ratio} 倍です。`,
  costsStream: (ratio) =>
    `ひとつの期間に送られるものすべてについて、ある経過のときに別の経過のときより起こりやすい度合いは、最大でも ${ratio} 倍です。` +
    "期間の費用は、その期間で最初に回答したときに一度だけかかります。",
  lifetime: (epsilon) =>
    `同じ回答を何度くり返しても、報告全部の費用は合わせて最大 ε = ${epsilon} です。`,
  keptSum: "収集者が残すのは報告の合計だけです。個々の報告は残しません。",
  keptAll: "収集者は、端末でかき混ぜられたままの報告をすべて残します。",
};

/** What the dashboard says, in Japanese. */

import { common, counted } from "../../language/ja";
import type { DashboardWords } from "./en";

export const words: DashboardWords = {
  ...common,
  problems: {
    ...common.problems,
    expired_token: "このトークンは期限切れです",
    no_candidates: "解読に使う候補がありません",
    no_token: "トークンが必要です",
    too_few_reports: "報告が少なすぎます",
    too_many_listeners: "見ている人が多すぎます",
    too_many_wrong_tokens: "このアドレスから誤ったトークンが多すぎます。後でもう一度試してください",
    undecodable: "この調査には候補が多すぎます",
    unknown_window: "この期間には報告がありません",
    wrong_role: "このトークンでは権限が足りません",
    wrong_token: "このトークンはここでは無効です",
  },
  copy: "コピー",
  copied: "コピーしました",
  subject: "収集者",
  collections: "調査の一覧",
  noCollections: "まだ調査がありません。",
  states: { open: "受付中", paused: "一時停止", closed: "終了" },
  epsilon: (epsilon) => `ε = ${epsilon}`,
  reports: (count) => `報告 ${counted(count, "件")}`,
  reportsTitle: "報告の数",
  perMinute: "1 分ごとの報告数（この 1 時間）",
  perMinuteNow: (count) => `この 1 分に ${count} 件`,
  connection: {
    connecting: "接続しています…",
    live: "ライブ",
    lost: "接続が切れました。表示は最後の数字です。つなぎ直しています…",
    refused: "接続していません",
  },
  people: () => "回答者",
  peopleWhy: "報告 1 件を 1 人と数えています",
  reportsOf: () => "報告",
  reportsOfAll: "すべての期間の合計。同じ人が期間ごとに数えられます",
  reportsOfRounds: (each) => `一人につき最大 ${each} 件`,
  margin: (points) => `±\u00a0${points}`,
  marginOf: "ポイント以内の誤差",
  marginAt: (level) => `信頼水準 ${level}\u00a0%`,
  meanSelected: "一人が選ぶ回答数の平均",
  meanInterval: (low, high, level, rough) =>
    `${low}～${high}（${level}\u00a0%${rough ? "、報告が少ないため大まかな値" : ""}）`,
  questionWithheld: "この質問への報告がまだ足りないため、表示していません。",
  severalWhy: (most) =>
    `一人が最大 ${most} 個まで選べるため、割合の合計は 100\u00a0% になりません。`,
  mean: "平均",
  meanWhy: "回答された数値の平均",
  meanMargin: "以内の誤差",
  numberRange: (low, high) => `${low}～${high}`,
  meanNote: (n, level, least, most) =>
    `報告 ${counted(n, "件")}から。線は ${level}\u00a0% 区間です。${least} から ${most} の範囲外の数値は、近いほうの端の値として数えます。`,
  binNumbers: "数値",
  median: "中央値",
  medianWhy: (low, high, level) => `${low}～${high}（${level}\u00a0%）`,
  distribution: "分布",
  quantile: "下位の割合",
  quantileOf: (share) => `${share}\u00a0%`,
  thatNumber: "境目の数値",
  distributionNote: (n, level) =>
    `報告 ${counted(n, "件")}から。棒は隣どうしでならしてあります。線は報告だけから求めた ${level}\u00a0% 区間です。棒の先が線から外れているところでは、線のほうを見てください。分位数と平均は、それぞれの棒の範囲の中で数値が均等に散らばっているものとして求めています。`,
  largest: "最も多い回答",
  newest: "最新のラウンド",
  smallest: "見つけられる最小の割合",
  window: "期間",
  latest: "最新",
  all: "すべて",
  latestOf: (window) => `最新：${window}`,
  windowNumber: (window) => `期間 ${window}`,
  roundNumber: (round) => `ラウンド ${round}`,
  zone: (zone) => `時刻は ${zone} のタイムゾーンで表示しています。`,
  compareWith: "比べる期間",
  compareNone: "比べない",
  change: (then) => `${then} からの変化`,
  changeWhy: (level) =>
    `単位はポイント（今の割合から、そのときの割合を引いたもの）。線はそれぞれの差の ${level}\u00a0% 区間です。` +
    "線が 0 を含むときは、偶然の変化かもしれません。",
  changeRoundsWhy: (level) =>
    `単位はポイント（各ラウンドの割合から、もう一方の期間の同じラウンドの割合を引いたもの）。帯はそれぞれの差の ${level}\u00a0% 区間です。`,
  changeSummary: (name, change, low, high) => `${name}：${change} ポイント（${low}～${high}）`,
  changeRange: (low, high) => `${low}～${high}`,
  history: "期間ごとの推移",
  historyOf: "回答",
  historyWhy: (level) =>
    `内側：期間ごとの ${level}\u00a0% 区間。外側：すべての期間で同時に成り立つ帯。報告が少なすぎる期間は除いています。`,
  sortBy: "並べ方",
  orders: { share: "割合の大きい順", name: "名前順", given: "質問の順" },
  search: "検索",
  showAll: (count) => `${count} 件すべてを表示`,
  showFewer: "一部だけ表示",
  shownOf: (shown, count) => `${count} 件中 ${shown} 件`,
  noMatch: "この文字を含む項目はありません。",
  rough: "粗い値",
  roughWhy: (rough, of) =>
    `${of} 件の回答のうち ${rough} 件は、もとになる報告が少なすぎるため、区間は大まかなものです。`,
  roughWindows: (rough, of) =>
    `${of} 期間のうち ${rough} 期間は報告が少なすぎるため、区間は大まかなものです。`,
  shares: "割合の推定",
  sharesWhy: (n, level) =>
    `報告 ${counted(n, "件")}から。線は ${level}\u00a0% 区間です。推定は偏りがないため、少ない回答は 0 を下回ることがあります。`,
  overTime: (state) => `「${state}」の割合の推移`,
  overTimeWhy: (level) =>
    `内側：ラウンドごとの ${level}\u00a0% 区間。外側：全ラウンドで同時に成り立つ帯。切れ目：まだ開いているか、報告が少なすぎるラウンド。`,
  manyRounds: "幅に対してラウンドが多すぎるところは、隣どうしをいちばん広い形にまとめて描きます。",
  lastRounds: (shown, rounds) => `${counted(rounds, "ラウンド")}のうち最後の ${shown} ラウンド。`,
  found: "見つかった文章",
  foundOf: (found, candidates) =>
    `候補 ${counted(candidates, "個")}のうち ${found} 個が見つかりました。`,
  foundMeaning: (explained, rest, error) =>
    `見つかった文章は、全体の ${explained} の人の回答にあたります（見つかりやすさの偏りを除いた値）。残りの ${rest} ± ${error} の人は、ほかのことを答えました。`,
  foundByChance: {
    "benjamini-hochberg": (level) =>
      `見つかったもののうち、偶然によるものは多くても約 ${level} です。`,
    bonferroni: (level) =>
      `見つかったものの中に偶然によるものが一つでもある確率は、最大 ${level} です。`,
    none: () => "p 値は、調べた文章の数に合わせた調整をしていません。",
  },
  foundSmallest: (share) =>
    `${share} の人が答えた文章は、五分五分の確率で見つかります。これだけの報告で示せるのは、およそこの割合までです。`,
  foundHidden: (times) =>
    `雑音が、かき混ぜによるものの ${times} 倍あります。多くの人の回答が候補から漏れていて、少数の文章を隠しているおそれがあります。`,
  from: (n) => `報告 ${counted(n, "件")}から。`,
  nothingFound:
    "雑音から抜け出た候補はありません。わかるかぎりでは、全員がほかのことを答えたのかもしれません。",
  answer: "回答",
  text: "文章",
  share: "割合",
  interval: (level) => `${level}\u00a0% 区間`,
  pValue: "p 値（調整済み）",
  pointHint: "グラフを指すか、矢印キーを使うと、数字が読めます。",
  zoomIn: "拡大",
  zoomOut: "縮小",
  roundTitle: "ラウンド",
  sharePercent: "割合（%）",
  sharePoints: "差（ポイント）",
  truth: "真の値",
  showTruth: "真の値を表示（これは実演です）",
  noEstimate: "なし",
  fewerThan: (minimum) => `${minimum} 件未満`,
  asTable: "表で見る",
  nothingYet: "まだ表示できるものがありません",
  progress: (reports, minimum) => `報告 ${reports} 件 / ${minimum} 件`,
  progressWhy: "誰か一人が目立つことのないよう、これより少ないうちは何も公開しません。",
  progressRounds: (minimum) =>
    `ラウンドは、締め切られた後、報告が ${minimum} 件以上あれば表示されます。`,
  progressGroups: (minimum) =>
    `端末は無作為にグループに分けられ、グループごとに集計されます。` +
    `特定の人が目立たないよう、報告が ${minimum} 件以上になったグループから表示されます。`,
  otherKind: "このページはこの種類の質問に対応していないため、結果を表示できません。",
  decoding: "報告は十分あります。解読しています。数分かかることがあります。",
  noCandidates:
    "報告は十分ありますが、解読に使う候補の一覧がまだありません。分析者がログインして登録できます。",
  undecodable:
    "報告は十分ありますが、候補が多すぎて区別できません。分析者がログインして短い一覧に替えられます。",
  notPublic: "この結果は公開されていません",
  notPublicWhy: "分析者のトークンでログインすると読めます。",
  isPaused: "一時停止中：今は報告を受け付けていません。",
  isClosed: "終了：報告は受け付けていません。",
  label: "プライバシー表示",
  labelPromise: "約束",
  labelOdds: "確率",
  labelKept: "保存するもの",
  labelMinimum: "表示の下限",
  labelWindows: "期間",
  labelInvited: "招待",
  invitedLabel:
    "一人ずつ招待されます。招待状を渡した人が収集者でもある場合、人とかき混ぜ済みの報告を結び付けられます。",
  uninvited: "誰でも回答できます。誰かはわかりません。",
  windowsLabel: (length) => `1 期間は${length}です。期間ごとに ε がかかります。`,
  windowsRounds: (length, rounds, each) =>
    `1 期間は${length}（${each}のラウンドが ${rounds} 回）です。期間ごとに ε がかかります。`,
  noWindows: "なし：一人一回だけ回答します。",
  seconds: (seconds) => {
    const units = [
      [86_400, "日"],
      [3_600, "時間"],
      [60, "分"],
      [1, "秒"],
    ] as const;
    const [each, unit] = units.find(([each]) => seconds % each === 0) ?? [1, "秒"];
    return `${seconds / each} ${unit}`;
  },
  checked: "鍵と ε は、このページが文書そのものから計算しました。",
  download: "ダウンロード",
  numbers: "数値",
  chart: "グラフ",
  thisView: "この表示",
  copyLink: "リンクをコピー",
  print: "印刷",
  source: (address, moment) => `${address}（${moment} 現在）`,
  noChart: "このブラウザではグラフを画像にできません",
  aggregate: "合計 (JSON)",
  openSurvey: "アンケートのページを開く",
  plan: "同じような調査を計画する",
  planWhy: "同じ人数でどれだけの誤差になるか、コマンドで：",
  summary: (answer, share, low, high) => `${answer}：${share}\u00a0%（${low}～${high}\u00a0%）`,
  // Signing in
  token: "トークン",
  tokenKept:
    "トークンはこのタブのセッションストレージに、ログアウトするかタブを閉じるまで保存されます。アドレスに含まれることはありません。",
  signIn: "ログイン",
  signOut: "ログアウト",
  signedOut: (reason) => `ログアウトしました：${reason}。`,
  roles: { admin: "管理者", analyst: "分析者", relay: "中継" },
  makePlanned: "計画から調査を作成する",
  makePlannedWhy: "管理者がログインすると作成できます。計画の内容はそのまま引き継がれます。",
  nonePublic: "公開されている調査はありません",
  nonePublicWhy: "この収集者のトークンを持っている人はログインできます。",
  close: "閉じる",
};

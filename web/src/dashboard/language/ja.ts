/** What the dashboard says, in Japanese. */

import { common } from "../../language/ja";
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
  reports: (count) => `報告 ${count} 件`,
  reportsTitle: "報告の数",
  perMinute: "1 分ごとの報告数（この 1 時間）",
  perMinuteNow: (count) => `この 1 分に ${count} 件`,
  connection: {
    connecting: "接続しています…",
    live: "ライブ",
    lost: "接続が切れました。表示は最後の数字です。つなぎ直しています…",
    refused: "接続していません",
  },
  window: "期間",
  latest: "最新",
  all: "すべて",
  windowNumber: (window) => `期間 ${window}`,
  shares: "割合の推定",
  sharesWhy: (n, level) =>
    `報告 ${n} 件から。線は ${level}\u00a0% 区間です。推定は偏りがないため、少ない回答は 0 を下回ることがあります。`,
  overTime: (state) => `「${state}」の割合の推移`,
  overTimeWhy: (level) =>
    `濃い部分：ラウンドごとの ${level}\u00a0% 区間。薄い部分：全ラウンドで同時に成り立つ帯。切れ目：まだ開いているか、報告が少なすぎるラウンド。`,
  manyRounds: "幅に対してラウンドが多すぎるところは、隣どうしをいちばん広い形にまとめて描きます。",
  lastRounds: (shown, rounds) => `${rounds} ラウンドのうち最後の ${shown} ラウンド。`,
  found: "見つかった文章",
  foundWhy: (n, candidates, smallest) =>
    `報告 ${n} 件、候補 ${candidates} 個から。およそ ${smallest} より少ない文章は見えません。`,
  nothingFound: "雑音から抜け出た候補はありません。",
  unexplained: (share) => `そのほか：約 ${share}`,
  answer: "回答",
  text: "文章",
  share: "割合",
  interval: (level) => `${level}\u00a0% 区間`,
  pValue: "p 値（調整済み）",
  pointHint: "ラウンドを指すか、矢印キーを使うと、数字が読めます。",
  zoomIn: "拡大",
  zoomOut: "縮小",
  roundTitle: "ラウンド",
  sharePercent: "割合（%）",
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
  windowsLabel: (length) => `ひとつ ${length}。そのつど ε がかかります。`,
  windowsRounds: (length, rounds, each) =>
    `ひとつ ${length}（${each}のラウンドが ${rounds} 回）。そのつど ε がかかります。`,
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
  aggregate: "合計 (JSON)",
  openSurvey: "アンケートのページを開く",
  plan: "同じような調査を計画する",
  planWhy: "何人でどれだけの誤差になるか、コマンドで：",
  summary: (answer, share, low, high) => `${answer}：${share}\u00a0%（${low}～${high}\u00a0%）`,
  // Signing in
  token: "トークン",
  tokenKept:
    "トークンはこのタブのセッションストレージに、ログアウトするかタブを閉じるまで保存されます。アドレスに含まれることはありません。",
  signIn: "ログイン",
  signOut: "ログアウト",
  signedOut: (reason) => `ログアウトしました：${reason}。`,
  roles: { admin: "管理者", analyst: "分析者", relay: "中継" },
  nonePublic: "公開されている調査はありません",
  nonePublicWhy: "この収集者のトークンを持っている人はログインできます。",
  close: "閉じる",
};

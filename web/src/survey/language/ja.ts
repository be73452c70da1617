/** What the survey says, in Japanese. */

import { common } from "../../language/ja";
import type { SurveyWords } from "./en";

export const words: SurveyWords = {
  ...common,
  problems: {
    ...common.problems,
    closed: "アンケートは終了しました",
    invalid_body: "報告の形式が違います",
    invalid_report: "このアンケートの端末からは出ないはずの報告です",
    invalid_window: "アンケートにその期間はありません",
    not_open: "アンケートは今は報告を受け付けていません",
    paused: "アンケートは一時停止中です",
    uninvited: "招待状が無効か、すでに使われています",
    window_closed: "期間が終わっています",
    window_full: "今は受け付けられる報告の数に達しています",
    window_not_open: "期間がまだ始まっていません",
  },
  list: (parts) => parts.join("、"),
  retry: "もう一度試す",
  subject: "アンケート",
  loading: "質問を読み込んでいます…",
  noCollection: "ここにはそのアンケートはありません。",
  notLoaded: "質問を読み込めませんでした。",
  notAllowed: (host, collector) =>
    `${collector} は応答していますが、このページからの読み取りを許可していません。運営者が「--allow-origin ${host}」を付けて起動する必要があります。`,
  otherDocument:
    "このアドレスが示すものとは別の質問が送られてきました。ここでは回答できません。アドレスを教えてくれた人に確認してください。",
  otherMechanism: (name) =>
    `この調査は ${name} を使います。端末では動きますが、ブラウザーでは動きません。ここでは回答できません。`,
  noStorage:
    "このブラウザーではページが記録を残せません。記録がないと二度回答してしまうおそれがあるため、何も送りません。このサイトのデータ保存を許可して、読み込み直してください。",
  notesChanged:
    "このページが端末に残した記録（帳簿や送信済みの報告）が書き換えられていて、信頼できません。何も送りません。このサイトのデータを消すと、初めからやり直せます。",
  noSchedule:
    "この調査は時間ごとに数えますが、ラウンドの時刻が決められていません。ブラウザーでは回答できません。",
  notBegun: (when) => `このアンケートは${when}に始まります。`,
  paused: "このアンケートは一時停止中です。今は回答を受け付けていません。",
  closed: "このアンケートは終了しました。回答は受け付けていません。",
  yourAnswer: "あなたの回答",
  yourText: "あなたの回答（自由記入）",
  yourState: "このラウンドでのあなたの状態",
  textHint: "10,000 バイトまで。文章そのものがこの端末を離れることはありません。",
  choose: "先に回答を選んでください。",
  write: "先に何か書いてください。",
  send: "かき混ぜて送る",
  observe: "このラウンドに回答する",
  scrambled: "回答は、送る前にこの端末の中でかき混ぜられます",
  scrambledWhy:
    "この端末から出ていくものは、本当でないかもしれません。本当かどうかは誰にもわかりません。大勢の分を合わせたときだけ、確率を逆算できます。",
  costs: (epsilon) => `費用は ε = ${epsilon} です`,
  ledger: "あなたの帳簿（この端末の中）",
  spentHere: "このアンケートで使った分",
  spentLife: "このサイトのすべてのアンケートで使った分",
  cap: "生涯の上限",
  capHint: "空欄なら上限なし。上限を超えるものは送りません。",
  setCap: "設定",
  capSet: (cap) => (cap === "" ? "上限はなくなりました。" : `上限は ε = ${cap} になりました。`),
  capWrong: "上限は 0 以上の数か、空欄にしてください。",
  overBudget: (asked, spent, cap, left) =>
    `何も送りませんでした。費用は ε = ${asked} ですが、上限 ${cap} のうち ${spent} を使い、残りは ${left} です。上限は下で上げられます。`,
  invited: "あなたは招待されています",
  invitedWhy:
    "一人一回になるよう、招待状が報告と一緒に送られます。招待状を渡した人が誰に渡したかを控えていて、収集者でもある場合、報告とあなたを結び付けられます。それでも見えるのは、かき混ぜた後の回答だけです。",
  notInvited:
    "このアンケートは招待された人だけのものです。招待状のリンクから開いてください。招待状がないと何も送れません。",
  anonymous:
    "名前もクッキーもアカウントも送りません。ほかのウェブページと同じく、ネットワーク上のアドレスは収集者に見えます。",
  supplier: "このプログラムの配信元",
  hostedHere: (host) =>
    `回答をかき混ぜるプログラムは、報告を受け取る ${host} 自身が配信しています。別のプログラムを配信することも、このページがこのブラウザーに残した記録を読むこともできます。それを避けたいときは、信頼できる人が公開しているページか、「sudare」コマンドを使ってください。`,
  hostedElsewhere: (host, collector) =>
    `回答をかき混ぜるプログラムは ${host} が配信しています。${host} は、別のプログラムを配信することも、このページがこのブラウザーに残した記録を読むこともできます。報告を受け取る ${collector} には、どちらもできません。`,
  round: (round, rounds) => `ラウンド ${round} / ${rounds}`,
  ends: (seconds) => `あと ${seconds} 秒`,
  notYourRound:
    "このラウンドは、あなたの端末が報告する回ではありません。何も送りませんでした。ほかのラウンドの状態は、あなただけのものです。",
  roundDone: "このラウンドには回答しました。次のラウンドは自動で始まります。",
  answeredOnce: "回答しました。回答は一人一回です。",
  answeredWindow: (when) => `今回は回答しました。次は${when}に始まります。`,
  sending: "送っています…",
  counted: "届いて、数えられました。",
  repeated: "すでに届いていました。数えられるのは一度だけです。",
  late: "届きましたが、ラウンドが締め切られた後でした。数えられません。",
  refused: (reason) => `収集者が受け取りませんでした：${reason}`,
  doubtful: "（ただし、前に送った分が数えられている可能性があります）",
  earlier: (said) => `（以前の報告）${said}`,
  unreachable: (seconds) =>
    `収集者につながりません。同じ報告を ${seconds} 秒後にもう一度送ります。ページを離れて、後で戻ってもかまいません。`,
  offline:
    "オフラインです。つながり次第、同じ報告を送ります。ページを離れて、後で戻ってもかまいません。",
  busy: (seconds, reason) =>
    `収集者が今は受け取れません（${reason}）。同じ報告を ${seconds} 秒後にもう一度送ります。`,
  sent: "送ったもの、そのまま",
  sentTo: "宛先",
  sentId: "報告の番号",
  sentIdWhy: "この報告だけを指す 16 バイト。二度送っても一度だけ数えられます。",
  sentRecord: "報告",
  sentBody: "本文（一字一句）",
  sentHeader: "招待状がヘッダーとして一緒に送られます。",
  inWords: "言葉にすると",
  says: (answer) => `「${answer}」`,
  saysYes: (answers, no) => `はい：${answers}。いいえ：${no}。`,
  saysNone: "すべての選択肢に「いいえ」。",
  saysAll: "すべての選択肢に「はい」。",
  saysBits: (count, bits, places) => `${bits} か所のうち ${count} か所がオン：${places}`,
  saysCohort: (cohort, cohorts) => `グループ ${cohort + 1} / ${cohorts}。`,
  saysState: (round, state) => `ラウンド ${round}：「${state}」`,
  conclude: "収集者にわかること",
  concludeWhy:
    "どの回答も初めは同じくらいありそうだとすると、この報告の後では、それぞれの確からしさはこうなります：",
  concludeText:
    "報告に文章は入っていません。あるのはオンの場所だけです。この二つの文章が初めは同じくらいありそうだとすると、報告の後ではこうなります：",
  concludeLater: "文章は保存していないので、もう比べられません。",
  another: "比べる別の文章",
  anotherDefault: "別の何か",
  yours: (text) => `${text}（あなたの文章）`,
  concludeMost: (ratio, most) =>
    `いちばんありそうな回答は、いちばんありそうにない回答の ${ratio} 倍よくこの報告を説明します。e^ε = ${most} 倍を超えることは決してありません。`,
};

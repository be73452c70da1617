/** Everything that the pages say, in Japanese. */

import type { Words } from "./en";

export const ja: Words = {
  locale: "ja",
  title: "簾 Sudare",
  language: "言語",
  theme: "表示",
  themes: { auto: "自動", light: "明るい", dark: "暗い" },
  copy: "コピー",
  copied: "コピーしました",
  percent: (text) => `${text}\u00a0%`,
  range: (low, high) => `${low}～${high}\u00a0%`,
  list: (parts) => parts.join("、"),
  failed: (reason) => `うまくいきませんでした：${reason}`,
  retry: "もう一度試す",
  times: (ratio) => `${ratio} 倍`,

  // 調査
  survey: "アンケート",
  loading: "質問を読み込んでいます…",
  noCollection: "ここにはそのアンケートはありません。",
  notLoaded: "質問を読み込めませんでした。",
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
  grrOdds: (answer, people, others) =>
    `「${answer}」を選んだ ${people.of} 人のうち、約 ${people.truth} 人が「${answer}」と報告し、` +
    `${others === 1 ? "もう一方の回答" : "ほかの回答それぞれ"}を約 ${people.other} 人が報告します。`,
  unaryOdds: (answer, people) =>
    `報告は、すべての選択肢に「はい」か「いいえ」を別々のくじで付けます。「${answer}」を選んだ ${people.of} 人のうち、` +
    `約 ${people.truth} 人がそれに「はい」と言い、ほかのどの選択肢にも約 ${people.other} 人が「はい」と言います。`,
  bitOdds: (bits, ones, people) =>
    `あなたの文章は ${bits} か所のうち ${ones} か所をオンにします。そのような場所 ${people.of} か所のうち約 ${people.truth} か所がオンと報告され、` +
    `ほかの場所も ${people.of} か所のうち約 ${people.other} か所がオンと報告されます。`,
  streamOdds: (rounds, people) =>
    `この端末が報告するのは、あらかじめ引いた ${rounds} ラウンドのうち 1 回だけです。ほかのラウンドでは何も送りません。` +
    `そのとき ${people.of} 人のうち約 ${people.truth} 人が本当の状態を、約 ${people.other} 人が逆の状態を報告します。`,
  costs: (epsilon) => `費用は ε = ${epsilon} です`,
  costsWhy: (ratio) =>
    `何が送られても、ある回答のときに別の回答のときより起こりやすい度合いは、最大でも ${ratio} 倍です。`,
  costsStream: (ratio) =>
    `ひとつの期間に送られるものすべてについて、ある経過のときに別の経過のときより起こりやすい度合いは、最大でも ${ratio} 倍です。` +
    "期間の費用は、その期間で最初に回答したときに一度だけかかります。",
  lifetime: (epsilon) =>
    `同じ回答を何度くり返しても、報告全部の費用は合わせて最大 ε = ${epsilon} です。`,
  ledger: "あなたの帳簿（この端末の中）",
  spentHere: "このアンケートで使った分",
  spentLife: "この収集者のすべてのアンケートで使った分",
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

  // 一覧
  dashboard: "収集者",
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
  band: "帯",
  pValue: "p 値（調整済み）",
  roundTitle: "ラウンド",
  sharePercent: "割合（%）",
  truth: "真の値",
  showTruth: "真の値を表示（これは実演です）",
  noEstimate: "なし",
  asTable: "表で見る",
  nothingYet: "まだ表示できるものがありません",
  progress: (reports, minimum) => `報告 ${reports} 件 / ${minimum} 件`,
  progressWhy: "誰か一人が目立つことのないよう、これより少ないうちは何も公開しません。",
  progressRounds: (minimum) =>
    `ラウンドは、締め切られた後、報告が ${minimum} 件以上あれば表示されます。`,
  noCandidates:
    "報告は十分あります。解読中か、解読に使う候補の一覧がまだありません。分析者が PUT で登録できます。",
  notPublic: "この結果は公開されていません",
  notPublicWhy: "分析者のトークンで読めます。トークンはこのタブを閉じるまで保存されます。",
  token: "トークン",
  useToken: "使う",
  forgetToken: "トークンを忘れる",
  isPaused: "一時停止中：今は報告を受け付けていません。",
  isClosed: "終了：報告は受け付けていません。",
  label: "プライバシー表示",
  labelPromise: "約束",
  labelOdds: "確率",
  labelKept: "保存するもの",
  labelMinimum: "表示の下限",
  labelWindows: "期間",
  labelInvited: "招待",
  keptSum: "収集者が残すのは報告の合計だけです。個々の報告は残しません。",
  keptAll: "収集者は、端末でかき混ぜられたままの報告をすべて残します。",
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
};

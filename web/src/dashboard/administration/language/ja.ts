/** What the administration says, in Japanese. */

import type { AdministrationWords } from "./en";

export const words: AdministrationWords = {
  problems: {
    closed: "すでに終了しています",
    last_admin: "最後の管理者トークンです。これがなくなると誰もログインできなくなります",
  },
  cancel: "キャンセル",
  newCollection: "新しい調査",
  create: "作成する",
  created: (name) => `「${name}」を作成しました。`,
  plan: "調査を計画する",
  notSure: "ε や人数を決めかねている場合は、",
  planIt: "計画してみる",
  planned:
    "質問の形式、方式、ε は計画で決まっています。残りは、回答者が読む文言と、集計の決まりだけです。",
  changePlan: "計画を変更する",
  answersPlanned: (count) =>
    `計画では選択肢は ${count} 個です。すべて別のものを、1 行にひとつずつ入力してください。`,
  answersGiven: (given, count) => `計画の ${count} 個のうち ${given} 個を入力済みです。`,
  question: "質問",
  name: "短い名前",
  nameWhy: "一覧やファイル名に使います。回答者には質問の上に表示されます。",
  asks: "回答の形式",
  heading: "質問全体の見出し",
  questionNumber: (number) => `質問 ${number}`,
  columnName: "質問の短い名前",
  columnNameWhy: "表の列名になります。質問ごとに変えてください。",
  addQuestion: "質問を追加する",
  removeQuestion: (number) => `質問 ${number} を削除する`,
  asked: {
    choice: "選択肢からひとつ",
    several: "選択肢からいくつか",
    number: "数値",
    questions: "複数の質問をまとめて",
    text: "自由記述",
    states: "時間とともに変わる状態",
  },
  askedWhy: {
    choice: "選択肢ごとの割合を推定します。",
    several: "チェックボックスです。それぞれを選んだ人の割合を推定します。",
    number: "決めた範囲の数値です。平均か分布を推定します。",
    questions:
      "各質問に、選択肢から一つずつ答えます。送信は一度だけで、ε は全問を合わせたものです。",
    text: "あとで登録する候補の中から、書かれた文章を見つけ出します。",
    states: "ラウンドごとに、各人は 2 つの状態のどちらかにあります。その割合の推移を推定します。",
  },
  answers: "選択肢（1 行にひとつ）",
  answersWhy: "2 つ以上。同じものは使えません。",
  stateNames: "2 つの状態（1 行にひとつ）",
  stateNamesWhy: "2 番目の状態の割合を推定します。例：「オフ」「オン」の順。",
  most: "一人が選べる最大数",
  mostWhy: "多くするほど、どの割合の誤差も大きくなります。",
  numbersFrom: "最小の数値と最大の数値",
  numbersFromWhy: "例：18 と 99。範囲外の数値は近いほうの端として数え、回答者にもそう伝えます。",
  numbersTo: "最大の数値",
  step: "きざみ",
  stepWhy: "例：1 や 0.5。最小から最大までがこのきざみで割り切れる値にしてください。",
  foundOut: "知りたいこと",
  finding: { mean: "平均", distribution: "分布" },
  findingWhy: {
    mean: "回答された数値の平均をひとつ推定します。",
    distribution:
      "範囲を区切り、それぞれの区間にあたる人の割合を推定します。中央値などもわかります。",
  },
  rounds: "ひとつの期間のラウンド数",
  roundsWhy: "期間が 1 日なら、24 ラウンドで 1 時間ずつになります。",
  wants: "いちばん重視すること",
  wanted: {
    least_error: "誤差を小さく",
    association: "質問どうしの関連",
    small_reports: "報告を小さく",
    permanent_noise: "くり返し尋ねる",
    changing_answers: "くり返し尋ねる（回答が変わる場合）",
    one_report: "報告は一人 1 件",
  },
  wantedWhy: {
    least_error:
      "この ε で、誤差がいちばん小さい方式を選びます。回答をひとつ選ぶ質問では、報告が 128 バイト以下の方式から選びます。",
    association: "二つの質問の関連もわかる方式のうち、誤差がいちばん小さいものを選びます。",
    small_reports:
      "報告が 4 バイト以下の数ひとつで済む方式のうち、誤差がいちばん小さいものを選びます。選択肢がいくつあっても同じです。",
    permanent_noise:
      "変わらない雑音を加えます。同じ回答を何度くり返しても、報告全体からわかることはわずかです。",
    changing_answers:
      "変わらない雑音を、少ない種類だけ使います。回答が何度変わっても、報告全体の ε は一定の値を超えません。変わったこと自体は、わかることがあります。",
    one_report: "各人が報告するのは、ひとつの期間で 1 ラウンドだけです。リンクで人を招待できます。",
  },
  epsilonTitle: "ε：ひとつの報告からわかることの上限",
  epsilonSlider: "ε のスライダー",
  epsilonWhy: "小さいほどプライバシーは強く、誤差は大きくなります。",
  epsilonStates:
    "ひとつの期間に各人が送るものすべてについての値です。小さいほどプライバシーは強く、誤差は大きくなります。",
  lifetimeTitle: "同じ回答の報告すべてを合わせた ε",
  lifetimeWhy: (twice) => `空欄なら、報告 1 件の ε の 2 倍（${twice}）になります。`,
  expectedPeople: "回答する人数の見込み",
  peopleWhy: "誤差の目安を示すためだけに使い、保存しません。",
  meaning: "この設定の意味",
  noMeaning: "選択肢と ε を入力すると、ここに表示されます。",
  errors: {
    choice: (people, error) =>
      `${people} 人が回答すると、割合はおよそ ±${error} ポイントの精度でわかります（95\u00a0% の確からしさ）。`,
    several: (people, error) =>
      `${people} 人が回答すると、割合はおよそ ±${error} ポイントの精度でわかります（95\u00a0% の確からしさ）。`,
    number: (people, error) =>
      `${people} 人が回答すると、平均は悪くとも範囲の幅のおよそ ±${error}\u00a0% の精度でわかります（95\u00a0% の確からしさ）。`,
    distribution: (people, error) =>
      `${people} 人が回答すると、各区間の割合はおよそ ±${error} ポイントの精度でわかります（95\u00a0% の確からしさ）。`,
    questions: (people, error) =>
      `${people} 人が回答すると、割合は、全問の選択肢を平均して、およそ ±${error} ポイントの精度でわかります（95\u00a0% の確からしさ）。`,
    text: (people, error) =>
      `${people} 人が回答すると、およそ ${error}\u00a0% の人が書いた文章を、1,000 個の候補の中から五分五分で見つけられます。`,
    states: (people, error) =>
      `${people} 人が参加すると、各ラウンドの割合はおよそ ±${error} ポイントの精度でわかります（95\u00a0% の確からしさ）。`,
  },
  parts: {
    questions: (parts, minimum, all) =>
      `${parts} 問は、それぞれ報告が ${minimum} 件以上で表示されます。合わせておよそ ${all} 人の回答が必要です。`,
    text: (parts, minimum, all) =>
      `端末は無作為に ${parts} のグループに分けられ、報告が ${minimum} 件になったグループから表示されます。` +
      `何かが表示されるまでに、およそ ${all} 人の回答が必要です。`,
    states: (parts, minimum, all) =>
      `${parts} のラウンドは、それぞれ報告が ${minimum} 件以上で表示されます。合わせておよそ ${all} 件です。`,
  },
  size: (mechanism, bytes) => `報告 1 件は ${bytes} バイトです（方式：${mechanism}）。`,
  noBrowser:
    "この方式はブラウザーでは使えません。アンケートのページではなく、コマンドかアプリで参加してもらいます。",
  again: "期間を区切って、くり返し尋ねる",
  againWhy: "期間ごとに別々に集計します。そのつど ε がかかります。",
  againStates: "ラウンドには期間が必要です。ひとつの期間にすべてのラウンドが入ります。",
  windowLength: "ひとつの期間の長さ",
  windowWhy: "期間は協定世界時（UTC）の日付に合わせて始まり、今の期間が最初になります。",
  unit: "単位",
  units: { minutes: "分", hours: "時間", days: "日" },
  minimum: "報告がこの件数に満たないうちは何も表示しない",
  minimumWhy: "誰か一人が目立つことのないようにするためです。",
  byInvitation: "招待した人だけが回答できる",
  byInvitationWhy: "報告には、配布したリンクが必要です。リンクは期間ごとに 1 件だけ使えます。",
  makePublic: "結果を誰でも読めるようにする",
  makePublicWhy: (minimum) =>
    `報告が ${minimum} 件以上になってから表示されます。公開しない場合は分析者だけが読めます。あとから変更できます。`,
  keepReports: "報告をすべて保存する",
  keepReportsWhy: "端末でかき混ぜられたまま保存します。選ばなければ合計だけを残します。",
  refusals: {
    question: "質問は 1 行で、1 文字以上入力してください。見えない文字は使えません。",
    name: "名前は 1 行で、1 文字以上入力してください。見えない文字は使えません。",
    answers:
      "選択肢は 2 つ以上、すべて別のものにしてください。見えない文字は使えません。状態の場合はちょうど 2 つです。",
    most: "1 から選択肢の数までの整数を入力してください。",
    range: "18 と 99 のような 2 つの数値を、小さいほうから入力してください。",
    step: "範囲を割り切る 0 より大きい数を入力してください。およそ 100 万段階までです。",
    questions:
      "質問は二つ以上必要です。それぞれに質問文、ほかと異なる短い名前、二つ以上の異なる選択肢を入力してください（見えない文字は使えません）。",
    found_out: "この範囲では狭すぎて推定できません。",
    rounds: "1 からおよそ 100 万までの整数を入力してください。",
    wants: "この形式の質問では選べません。",
    epsilon: "0 より大きい数（0.5 や 2 など）を入力してください。小さすぎる値は実現できません。",
    lifetime: "報告 1 件の ε より大きい数を入力するか、空欄にしてください。",
    window:
      "1 以上の整数を入力してください。状態の場合、各ラウンドが整数の秒数になる必要があります。",
    minimum_reports: "1 以上の整数を入力してください。",
    invited:
      "この方式では一人が期間ごとに複数の報告を送りますが、招待状は 1 件分です。「報告は一人 1 件」を選ぶか、招待制をやめてください。",
    people: "1 以上の整数を入力してください。",
  },
  manage: "管理",
  takes: {
    open: "報告を受け付けています。",
    paused: "一時停止中です。今は報告を受け付けていません。",
    closed: "終了しました。報告は受け付けません。",
  },
  pause: "一時停止",
  paused: (name) => `「${name}」を一時停止しました。`,
  resume: "再開",
  resumed: (name) => `「${name}」の受け付けを再開しました。`,
  closeForGood: "終了する",
  closeAsk: "この調査を終了しますか？",
  closeWhy: (name) =>
    `「${name}」は二度と報告を受け付けなくなります。これまでの分は残り、件数が足りていれば表示されます。`,
  closedNow: (name) => `「${name}」を終了しました。`,
  isPublic: "結果は誰でも読めます。",
  isNotPublic: "結果は分析者だけが読めます。",
  release: "結果を公開する",
  releasedNow: (name) => `「${name}」の結果を公開しました。`,
  withhold: "結果を非公開にする",
  withheldNow: (name) => `「${name}」の結果を非公開にしました。`,
  deleteOne: "削除",
  deleteAsk: "報告ごと削除しますか？",
  deleteWhy: "次の調査と、その報告と合計がすべて消え、元に戻せません。",
  deleteName: "削除するには名前を入力してください",
  deleteOther: "名前が違います。",
  deletedNow: (name) => `「${name}」を削除しました。`,
  candidatesTitle: "候補",
  candidatesWhy:
    "自由記述は、回答されそうな文章の一覧と照らし合わせて解読します。これまでの一覧は置き換えられます。",
  candidatesText: "候補（1 行にひとつ）",
  candidatesFile: "またはテキストファイルから（1 行にひとつ）",
  candidatesKeep: "この一覧を使う",
  candidatesKept: (name, count) => `「${name}」を ${count} 個の候補で解読します。`,
  lines: (lines) => `候補 ${lines} 個`,
  invitations: "招待状",
  invitationsWhy:
    "リンクは一人にひとつで、期間ごとに報告 1 件に使えます。リンクを配る人が控えを取っていると、どのかき混ぜ済みの報告が誰のものかを結び付けられます。",
  howMany: "枚数",
  invite: "作成する",
  invited: (invitations) =>
    `招待状を ${invitations} 枚作成しました。表示は今回限りです。今のうちに保存してください。`,
  links: "リンク（1 行にひとつ）",
  linksWhy: "# より後ろの部分は、サーバーの記録に残りません。",
  copyAll: "すべてコピー",
  saveText: "テキストファイルに保存",
  codes: "QR コード",
  codeOf: (number) => `招待状 ${number} の QR コード`,
  before: "前へ",
  next: "次へ",
  tokens: "トークン",
  tokensWhy:
    "トークンを持つ人がログインできます。一人ずつ別のトークンを渡すと、個別に無効にできます。",
  tokenLabel: "持ち主",
  tokenLabelWhy: "人やプログラムの名前など。この一覧と本人に表示されます。",
  tokenRole: "権限",
  roleWhy: {
    admin: "すべての操作ができます。",
    analyst: "結果の閲覧と公開、候補の登録ができます。",
    relay: "多数の端末の報告をまとめて送れます。ほかの操作はできません。",
  },
  tokenUntil: "最終日",
  tokenUntilWhy: "空欄なら収集者が決め、作成後に表示します。",
  neverEnds: "無期限",
  ownToken: "（使用中）",
  makeToken: "トークンを作成",
  tokenOnce: "今のうちにコピーしてください。表示は今回限りで、あとから読み出すことはできません。",
  tokenEnds: (moment) => `有効期限：${moment}`,
  revoke: "無効にする",
  revokeIt: (label) => `${label} を無効にする`,
  revokeSurely: (label) => `完全に無効にする：${label}`,
  revokeYes: "完全に無効にする",
  revoked: (label) => `${label} を無効にしました。`,
};

/**
 * Text of strangers: names, questions, labels, a collector's words. What commands or can't be seen
 * in it is made visible, as `formats/strangers.py` does, and it never turns what stands around it.
 */

const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_C}\u200b\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

/** A text on one line, with `<U+001B>` for each character that commands or can't be seen. */
export function visible(text: string): string {
  const hex = (letter: string): string => letter.charCodeAt(0).toString(16).padStart(4, "0");
  return text.replace(UNSEEN, (letter) => `<U+${hex(letter).toUpperCase()}>`);
}

/** A text within a sentence, between the signs that do there what `<bdi>` does. */
export function isolated(text: string): string {
  return `\u2068${visible(text)}\u2069`;
}

/** A text in an element of its own. */
export function Stranger({ text }: { readonly text: string }) {
  return <bdi>{visible(text)}</bdi>;
}

/**
 * Text of strangers: names, questions, labels, a collector's words. What commands or can't be seen
 * in it is made visible, as `formats/strangers.py` does, and it never turns what stands around it.
 */

const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]/gu;

/** A text on one line, with `<U+001B>` for each character that commands or can't be seen. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (letter) => {
    const code = letter.charCodeAt(0).toString(16).toUpperCase();
    return `<U+${code.padStart(4, "0")}>`;
  });
}

/** A text within a sentence, between the signs that do there what `<bdi>` does. */
export function isolated(text: string): string {
  return `\u2068${visible(text)}\u2069`;
}

/** A text in an element of its own. */
export function Stranger({ text }: { readonly text: string }) {
  return <bdi>{visible(text)}</bdi>;
}

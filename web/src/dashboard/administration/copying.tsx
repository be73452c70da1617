/** Text that is taken along: by the clipboard, or as a file. */

import { useState } from "preact/hooks";

import { useWords } from "./language";

/** A button that copies a text, where the browser lets a page do that (over HTTPS, or at home). */
export function CopyButton({ text, says }: { readonly text: string; readonly says: string }) {
  const words = useWords();
  const [copied, setCopied] = useState<string | null>(null);
  const { clipboard } = navigator as { clipboard?: Clipboard };
  if (!clipboard) return null;
  return (
    <>
      <button
        type="button"
        onClick={() => void clipboard.writeText(text).then(() => setCopied(text))}
      >
        {says}
      </button>
      <span class="done" role="status">
        {copied === text && words.copied}
      </span>
    </>
  );
}

/** A button that saves a text as a file. */
export function SaveButton(props: {
  readonly text: string;
  readonly file: string;
  readonly says: string;
}) {
  const { text, file, says } = props;
  const save = (): void => {
    const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    const link = document.createElement("a");
    link.href = address;
    link.download = file;
    link.click();
    URL.revokeObjectURL(address);
  };
  return (
    <button type="button" onClick={save}>
      {says}
    </button>
  );
}

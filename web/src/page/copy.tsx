/** Text that is taken along by the clipboard. */

import { useState } from "preact/hooks";

interface CopyProps {
  readonly text: string;
  readonly says: string;
  /** What the button says once that is done. */
  readonly copied: string;
}

/** A button that copies a text; nothing where the browser doesn't let pages do so. */
export function Copy({ text, says, copied }: CopyProps) {
  const [done, setDone] = useState("");
  const { clipboard } = navigator as { clipboard?: Clipboard }; // only on pages over HTTPS
  if (!clipboard) return null;
  return (
    <button type="button" onClick={() => void clipboard.writeText(text).then(() => setDone(text))}>
      {done === text ? copied : says}
    </button>
  );
}

/** A command as it is typed, broken before its options only, and the button that copies it. */
export function Command(props: CopyProps) {
  return (
    <div class="command">
      <code>
        {props.text.split(/(?<= )(?=--)/).map((part) => (
          <span key={part}>{part}</span>
        ))}
      </code>
      <Copy {...props} />
    </div>
  );
}

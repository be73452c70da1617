/** A dialog over the page: focus goes into it, stays there, and comes back. */

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

import { useWords } from "./language";

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  /** What stands beside the button that closes it. */
  readonly actions?: ComponentChildren;
  /** What that button says, where it isn't "Close". */
  readonly closing?: string;
  readonly wide?: boolean;
  readonly children: ComponentChildren;
}

export function Dialog({ title, close, actions, closing, wide, children }: DialogProps) {
  const words = useWords();
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  // Before the page is drawn: a key pressed in between would move the focus that is given back.
  useLayoutEffect(() => {
    const opener = document.activeElement as HTMLElement | null;
    const dialog = element.current as HTMLDialogElement;
    dialog.showModal();
    return () => {
      dialog.close();
      if (opener?.isConnected) opener.focus();
      else document.querySelector<HTMLElement>("main")?.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={wide ? "wide" : undefined}
      aria-labelledby={id}
      onClose={close} // by Escape, or by a gesture
    >
      <h2 id={id}>{title}</h2>
      {children}
      <div class="buttons">
        {actions}
        <button type="button" onClick={close}>
          {closing ?? words.close}
        </button>
      </div>
    </dialog>
  );
}

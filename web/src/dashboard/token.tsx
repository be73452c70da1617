/** Signing in with a token, and who is signed in. */

import { useRef, useState } from "preact/hooks";

import { reasonText } from "../page/reason";
import { Stranger } from "../page/strangers";
import { Dialog } from "./dialog";
import { useWords } from "./language";
import { useOnce } from "./once";
import { signIn, signOut, useSession } from "./session";

interface TokenFormProps {
  /** Called when somebody has signed in. */
  readonly done?: () => void;
}

/** A form that a password manager can fill; what it holds goes out in a header only. */
export function TokenForm({ done }: TokenFormProps) {
  const words = useWords();
  const { problem: before } = useSession();
  const field = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<unknown>(before);
  const once = useOnce();
  const submit = async (): Promise<void> => {
    const input = field.current as HTMLInputElement;
    try {
      await signIn(input.value.trim());
      done?.();
    } catch (error) {
      setProblem(error);
      input.focus();
    }
  };
  return (
    <form
      class="sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        void once(submit);
      }}
    >
      <input type="text" name="username" autocomplete="username" value="Sudare" hidden readOnly />
      <label class="field">
        {words.token}
        <span class="pair">
          <input
            ref={field}
            type="password"
            name="token"
            autocomplete="current-password"
            required
            aria-invalid={problem !== null}
          />
          <button type="submit">{words.signIn}</button>
        </span>
        <small>{words.tokenKept}</small>
      </label>
      <p class="status" role="alert">
        {problem !== null && words.failed(reasonText(words, problem))}
      </p>
    </form>
  );
}

/** In the page's head: who is signed in, and the way in or out. */
export function SignedIn() {
  const words = useWords();
  const { token, session, problem } = useSession();
  const [open, setOpen] = useState(false);
  if (token !== "") {
    return (
      <div class="who">
        {session && (
          <p>
            {words.roles[session.role] ?? session.role}
            {session.label !== "" && (
              <>
                {" · "}
                <Stranger text={session.label} />
              </>
            )}
          </p>
        )}
        <button type="button" onClick={() => signOut()}>
          {words.signOut}
        </button>
      </div>
    );
  }
  return (
    <div class="who">
      {problem && <p role="alert">{words.signedOut(reasonText(words, problem))}</p>}
      <button type="button" onClick={() => setOpen(true)}>
        {words.signIn}
      </button>
      {open && (
        <Dialog title={words.signIn} close={() => setOpen(false)}>
          <TokenForm done={() => setOpen(false)} />
        </Dialog>
      )}
    </div>
  );
}

/** The token of somebody who may read results before they are public. */

import { useState } from "preact/hooks";

import { useWords } from "./language";

interface TokenFormProps {
  readonly token: string;
  readonly refused: boolean;
  readonly keep: (token: string) => void;
}

export function TokenForm({ token, refused, keep }: TokenFormProps) {
  const words = useWords();
  const [text, setText] = useState("");
  if (token !== "" && !refused) {
    return (
      <section class="card token">
        <h2>{words.token}</h2>
        <button type="button" onClick={() => keep("")}>
          {words.forgetToken}
        </button>
      </section>
    );
  }
  return (
    <section class="card token">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          keep(text.trim());
        }}
      >
        <label class="field">
          {words.token}
          <span class="pair">
            <input
              type="password"
              autocomplete="off"
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
            <button type="submit">{words.useToken}</button>
          </span>
        </label>
      </form>
    </section>
  );
}

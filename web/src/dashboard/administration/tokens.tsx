/** Tokens: who has one, a new one that is shown once, and the end of one. */

import { useEffect, useRef, useState } from "preact/hooks";

import { moment } from "../../language";
import { reasonText } from "../../page/reason";
import { Stranger, isolated } from "../../page/strangers";
import { Dialog } from "../dialog";
import { useOnce } from "../once";
import { signOut, type Role, type Session } from "../session";
import { CopyButton } from "./copying";
import { Entry } from "../../page/entry";
import { useWords } from "./language";
import type { ListedToken, NewToken as Made, Requests } from "./requests";

const ROLES: readonly Role[] = ["analyst", "relay", "admin"];

interface TokensProps {
  readonly requests: Requests;
  readonly session: Session;
  readonly close: () => void;
}

export function Tokens({ requests, session, close }: TokensProps) {
  const words = useWords();
  const [tokens, setTokens] = useState<readonly ListedToken[] | null>(null);
  const [told, tell] = useState("");
  const [problem, setProblem] = useState<unknown>(null);
  const look = (): Promise<void> => requests.tokens().then(setTokens, setProblem);
  useEffect(() => void look(), []);
  const revoke = async (token: ListedToken): Promise<void> => {
    setProblem(null);
    try {
      await requests.revoke(token.name);
      if (token.name === session.name) {
        close();
        signOut();
        return;
      }
      tell(words.revoked(isolated(token.label || token.name)));
      await look();
      document.getElementById("token-label")?.focus(); // the button is gone
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <Dialog wide title={words.tokens} close={close}>
      <p>{words.tokensWhy}</p>
      <NewToken requests={requests} made={() => void look()} />
      <p role="status">{told}</p>
      <p class="status" role="alert">
        {problem !== null && words.failed(reasonText(words, problem))}
      </p>
      {tokens && (
        <ul class="tokens">
          {tokens.map((token) => (
            <Row
              key={token.name}
              token={token}
              isOwn={token.name === session.name}
              revoke={() => void revoke(token)}
            />
          ))}
        </ul>
      )}
    </Dialog>
  );
}

interface RowProps {
  readonly token: ListedToken;
  readonly isOwn: boolean;
  readonly revoke: () => void;
}

function Row({ token, isOwn, revoke }: RowProps) {
  const words = useWords();
  const [asking, ask] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const isNew = useRef(true);
  useEffect(() => {
    if (!isNew.current) button.current?.focus(); // the one that had the focus is gone
    isNew.current = false;
  }, [asking]);
  const label = isolated(token.label || token.name);
  return (
    <li>
      <div>
        <b>
          <Stranger text={token.label || token.name} />
        </b>
        {isOwn && ` ${words.ownToken}`}
        <small>
          {words.roles[token.role]} ·{" "}
          <code>
            <Stranger text={token.name} />
          </code>{" "}
          ·{" "}
          {token.expires === null ? words.neverEnds : words.tokenEnds(moment(words, token.expires))}
        </small>
      </div>
      {asking ? (
        <span class="buttons">
          <button
            type="button"
            class="danger"
            aria-label={words.revokeSurely(label)}
            onClick={revoke}
          >
            {words.revokeYes}
          </button>
          <button type="button" ref={button} onClick={() => ask(false)}>
            {words.cancel}
          </button>
        </span>
      ) : (
        <button
          type="button"
          ref={button}
          aria-label={words.revokeIt(label)}
          onClick={() => ask(true)}
        >
          {words.revoke}
        </button>
      )}
    </li>
  );
}

interface NewTokenProps {
  readonly requests: Requests;
  readonly made: () => void;
}

function NewToken({ requests, made }: NewTokenProps) {
  const words = useWords();
  const once = useOnce();
  const [role, setRole] = useState<Role>("analyst");
  const [label, setLabel] = useState("");
  const [day, setDay] = useState("");
  const [token, setToken] = useState<Made | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const submit = async (): Promise<void> => {
    setProblem(null);
    try {
      const last = day && { expires: Math.floor(Date.parse(`${day}T23:59:59`) / 1000) };
      setToken(await requests.newToken({ role, label: label.trim(), ...(last || {}) }));
      setLabel("");
      made();
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <form
      class="new-token"
      onSubmit={(event) => {
        event.preventDefault();
        void once(submit);
      }}
    >
      <Entry id="token-label" title={words.tokenLabel} hint={words.tokenLabelWhy}>
        {(control) => (
          <input
            type="text"
            maxLength={200}
            {...control}
            value={label}
            onInput={({ currentTarget }) => setLabel(currentTarget.value)}
          />
        )}
      </Entry>
      <Entry id="token-role" title={words.tokenRole} hint={words.roleWhy[role]}>
        {(control) => (
          <select
            {...control}
            value={role}
            onChange={({ currentTarget }) => setRole(currentTarget.value as Role)}
          >
            {ROLES.map((each) => (
              <option key={each} value={each}>
                {words.roles[each]}
              </option>
            ))}
          </select>
        )}
      </Entry>
      <Entry id="token-day" title={words.tokenUntil} hint={words.tokenUntilWhy}>
        {(control) => (
          <input
            type="date"
            {...control}
            value={day}
            onInput={({ currentTarget }) => setDay(currentTarget.value)}
          />
        )}
      </Entry>
      <button type="submit" class="main">
        {words.makeToken}
      </button>
      <p class="status" role="alert">
        {problem !== null && words.failed(reasonText(words, problem))}
      </p>
      {token && (
        <div class="note" role="status">
          <p>{words.tokenOnce}</p>
          <div class="command">
            <code tabIndex={0}>{token.token}</code>
            <CopyButton text={token.token} says={words.copy} />
          </div>
          {token.expires !== null && <p>{words.tokenEnds(moment(words, token.expires))}</p>}
        </div>
      )}
    </form>
  );
}

/** What can be changed about one collection, by whoever may. */

import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { Standing, State } from "../../collector/api";
import { reasonText } from "../../page/reason";
import { Stranger, isolated, visible } from "../../page/strangers";
import { Dialog } from "../dialog";
import { useOnce } from "../once";
import { kindOf } from "../kinds";
import { Candidates } from "./candidates";
import { Entry } from "../../page/entry";
import type { ManageProps } from "./interface";
import { Invitations } from "./invitations_view";
import { useWords } from "./language";
import { Requests } from "./requests";

type Open = "close" | "delete" | "candidates" | "invitations" | null;

export function ManageCard({ standing, token, session, changed, tell }: ManageProps) {
  const words = useWords();
  const [open, setOpen] = useState<Open>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const once = useOnce();
  const card = useRef<HTMLElement>(null);
  const acted = useKeptFocus(card, standing.state);
  const requests = new Requests(token);
  const { key, state } = standing;
  const isAdmin = session.role === "admin";
  const act = (work: () => Promise<void>, said: string): Promise<void> =>
    once(async () => {
      setProblem(null);
      acted.current = true;
      try {
        await work();
        setOpen(null);
        tell(said);
        await changed();
      } catch (error) {
        setProblem(error);
      }
    });
  const shut = (): void => setOpen(null);
  const name = isolated(standing.name);
  const why = problem !== null && words.failed(reasonText(words, problem));
  return (
    <section class="card manage" ref={card} tabIndex={-1} aria-labelledby="manage">
      <h2 id="manage">{words.manage}</h2>
      {isAdmin && <p>{words.takes[state]}</p>}
      <div class="buttons">
        {isAdmin && state !== "closed" && (
          <button
            type="button"
            onClick={() =>
              void (state === "open"
                ? act(() => requests.turn(key, "pause"), words.paused(name))
                : act(() => requests.turn(key, "open"), words.resumed(name)))
            }
          >
            {state === "open" ? words.pause : words.resume}
          </button>
        )}
        {isAdmin && state !== "closed" && (
          <button type="button" onClick={() => setOpen("close")}>
            {words.closeForGood}
          </button>
        )}
      </div>
      <p>{standing.public ? words.isPublic : words.isNotPublic}</p>
      <div class="buttons">
        <button
          type="button"
          onClick={() =>
            void act(
              () => requests.release(key, !standing.public),
              standing.public ? words.withheldNow(name) : words.releasedNow(name),
            )
          }
        >
          {standing.public ? words.withhold : words.release}
        </button>
        {kindOf(standing).takesCandidates && (
          <button type="button" onClick={() => setOpen("candidates")}>
            {words.candidatesTitle}
          </button>
        )}
        {isAdmin && standing.privacy.invitations !== null && (
          <button type="button" onClick={() => setOpen("invitations")}>
            {words.invitations}
          </button>
        )}
        {isAdmin && (
          <button type="button" class="danger" onClick={() => setOpen("delete")}>
            {words.deleteOne}
          </button>
        )}
      </div>
      <p class="status" role="alert">
        {open === null && why}
      </p>
      {open === "close" && (
        <Dialog
          title={words.closeAsk}
          close={shut}
          closing={words.cancel}
          actions={
            <button
              type="button"
              class="danger"
              onClick={() => void act(() => requests.turn(key, "close"), words.closedNow(name))}
            >
              {words.closeForGood}
            </button>
          }
        >
          <p>{words.closeWhy(name)}</p>
          <p role="alert">{why}</p>
        </Dialog>
      )}
      {open === "delete" && (
        <Deletion
          standing={standing}
          close={shut}
          why={why || ""}
          remove={() => void act(() => requests.remove(key), words.deletedNow(name))}
        />
      )}
      {open === "candidates" && (
        <Candidates standing={standing} requests={requests} close={shut} tell={tell} />
      )}
      {open === "invitations" && (
        <Invitations standing={standing} requests={requests} close={shut} />
      )}
    </section>
  );
}

/**
 * Where the button that somebody pressed is gone, the focus goes to what is left: the card, or the
 * page. The news that takes the button away may come later than the answer.
 */
function useKeptFocus(card: RefObject<HTMLElement | null>, state: State): { current: boolean } {
  const acted = useRef(false);
  const keep = (): void => {
    if (!acted.current) return;
    requestAnimationFrame(() => {
      const left = card.current ?? document.querySelector<HTMLElement>("main");
      if (document.activeElement === document.body) left?.focus({ preventScroll: true });
    });
  };
  useEffect(keep, [state]);
  useEffect(() => keep, []);
  return acted;
}

interface DeletionProps {
  readonly standing: Standing;
  readonly close: () => void;
  readonly why: string;
  readonly remove: () => void;
}

/** Deleting asks for the collection's name: its reports can't be had again. */
function Deletion({ standing, close, why, remove }: DeletionProps) {
  const words = useWords();
  const [typed, setTyped] = useState("");
  const [refused, setRefused] = useState(false);
  const submit = (): void => {
    const same = [standing.name, visible(standing.name)].includes(typed.trim());
    setRefused(!same);
    if (same) remove();
  };
  return (
    <Dialog
      title={words.deleteAsk}
      close={close}
      closing={words.cancel}
      actions={
        <button type="submit" form="delete-collection" class="danger">
          {words.deleteOne}
        </button>
      }
    >
      <form
        id="delete-collection"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <p>{words.deleteWhy}</p>
        <p>
          <b>
            <Stranger text={standing.name} />
          </b>
        </p>
        <Entry
          id="delete-name"
          title={words.deleteName}
          refusal={refused ? words.deleteOther : null}
        >
          {(control) => (
            <input
              type="text"
              autocomplete="off"
              {...control}
              value={typed}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          )}
        </Entry>
        <p role="alert">{why}</p>
      </form>
    </Dialog>
  );
}

/** What can be changed about one collection, by whoever may. */

import { useState } from "preact/hooks";

import type { Standing } from "../../collector/api";
import { reasonText } from "../../page/reason";
import { Stranger, isolated, visible } from "../../page/strangers";
import { Dialog } from "../dialog";
import { kindOf } from "../kinds";
import { Candidates } from "./candidates";
import { Entry } from "./entry";
import type { ManageProps } from "./interface";
import { Invitations } from "./invitations_view";
import { useWords } from "./language";
import { Requests } from "./requests";

type Open = "close" | "delete" | "candidates" | "invitations" | null;

export function ManageCard({ standing, token, session, changed, tell }: ManageProps) {
  const words = useWords();
  const [open, setOpen] = useState<Open>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const requests = new Requests(token);
  const { key, state } = standing;
  const isAdmin = session.role === "admin";
  const act = async (work: () => Promise<void>, said: string): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      await work();
      setOpen(null);
      tell(said);
      await changed();
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  const shut = (): void => setOpen(null);
  const name = isolated(standing.name);
  const why = problem !== null && words.failed(reasonText(words, problem));
  return (
    <section class="card manage">
      <h2>{words.manage}</h2>
      {isAdmin && <p>{words.takes[state]}</p>}
      <div class="buttons">
        {isAdmin && state === "open" && (
          <button
            type="button"
            disabled={busy}
            onClick={() => void act(() => requests.turn(key, "pause"), words.paused(name))}
          >
            {words.pause}
          </button>
        )}
        {isAdmin && state === "paused" && (
          <button
            type="button"
            disabled={busy}
            onClick={() => void act(() => requests.turn(key, "open"), words.resumed(name))}
          >
            {words.resume}
          </button>
        )}
        {isAdmin && state !== "closed" && (
          <button type="button" disabled={busy} onClick={() => setOpen("close")}>
            {words.closeForGood}
          </button>
        )}
      </div>
      <p>{standing.public ? words.isPublic : words.isNotPublic}</p>
      <div class="buttons">
        <button
          type="button"
          disabled={busy}
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
          <button type="button" class="danger" disabled={busy} onClick={() => setOpen("delete")}>
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
              disabled={busy}
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
          busy={busy}
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

interface DeletionProps {
  readonly standing: Standing;
  readonly close: () => void;
  readonly busy: boolean;
  readonly why: string;
  readonly remove: () => void;
}

/** Deleting asks for the collection's name: its reports can't be had again. */
function Deletion({ standing, close, busy, why, remove }: DeletionProps) {
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
        <button type="submit" form="delete-collection" class="danger" disabled={busy}>
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

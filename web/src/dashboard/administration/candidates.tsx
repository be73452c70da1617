/** The texts that free text is decoded against: pasted, or from a file. */

import { useRef, useState } from "preact/hooks";

import type { Standing } from "../../collector/api";
import { whole } from "../../language";
import { isolated } from "../../page/strangers";
import { reasonText } from "../../page/reason";
import { Dialog } from "../dialog";
import { useOnce } from "../once";
import { Entry } from "../../page/entry";
import { useWords } from "./language";
import type { Requests } from "./requests";
import { answersOf } from "./wishes";

interface CandidatesProps {
  readonly standing: Standing;
  readonly requests: Requests;
  readonly close: () => void;
  readonly tell: (sentence: string) => void;
}

export function Candidates({ standing, requests, close, tell }: CandidatesProps) {
  const words = useWords();
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<unknown>(null);
  const once = useOnce();
  const area = useRef<HTMLTextAreaElement>(null);
  const lines = [...new Set(answersOf(text))];
  const submit = async (): Promise<void> => {
    if (lines.length === 0) {
      area.current?.focus();
      return;
    }
    try {
      const count = await requests.keepCandidates(standing.key, lines.join("\n"));
      tell(words.candidatesKept(isolated(standing.name), whole(words, count)));
      close();
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <Dialog
      title={words.candidatesTitle}
      close={close}
      closing={words.cancel}
      actions={
        <button type="submit" form="candidates" class="main">
          {words.candidatesKeep}
        </button>
      }
    >
      <form
        id="candidates"
        onSubmit={(event) => {
          event.preventDefault();
          void once(submit);
        }}
      >
        <p>{words.candidatesWhy}</p>
        <Entry
          id="candidates-text"
          title={words.candidatesText}
          hint={words.lines(whole(words, lines.length), lines.length)}
        >
          {(control) => (
            <textarea
              ref={area}
              rows={8}
              {...control}
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          )}
        </Entry>
        <Entry id="candidates-file" title={words.candidatesFile}>
          {(control) => (
            <input
              type="file"
              accept=".txt,.csv,text/plain"
              {...control}
              onChange={({ currentTarget }) => {
                void currentTarget.files?.[0]?.text().then(setText, setProblem);
              }}
            />
          )}
        </Entry>
        <p class="status" role="alert">
          {problem !== null && words.failed(reasonText(words, problem))}
        </p>
      </form>
    </Dialog>
  );
}

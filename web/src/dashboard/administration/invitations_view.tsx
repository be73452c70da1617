/** New invitations: as links, as a file, each as a QR code. They are shown once. */

import { useEffect, useState } from "preact/hooks";

import type { Standing } from "../../collector/api";
import { whole } from "../../language";
import { reasonText } from "../../page/reason";
import { Dialog } from "../dialog";
import { useOnce } from "../once";
import { CopyButton, SaveButton } from "./copying";
import { Entry } from "../../page/entry";
import { linkOf, pageOf, pathOf } from "./invitations";
import { useWords } from "./language";
import type { Requests } from "./requests";

const CODES = 12; // on a page
const QUIET = 4; // squares around a code, as its standard asks for

interface InvitationsProps {
  readonly standing: Standing;
  readonly requests: Requests;
  readonly close: () => void;
}

export function Invitations({ standing, requests, close }: InvitationsProps) {
  const words = useWords();
  const [count, setCount] = useState("10");
  const [links, setLinks] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<unknown>(null);
  const once = useOnce();
  const submit = async (): Promise<void> => {
    setProblem(null);
    try {
      const made = await requests.invite(standing.key, Number(count));
      setLinks(made.map((each) => linkOf(location.origin, standing.key, each)));
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <Dialog wide title={words.invitations} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void once(submit);
        }}
      >
        <p>{words.invitationsWhy}</p>
        <Entry id="invitations-count" title={words.howMany}>
          {(control) => (
            <span class="pair">
              <input
                type="number"
                min="1"
                max="100000"
                step="1"
                required
                {...control}
                value={count}
                onInput={({ currentTarget }) => setCount(currentTarget.value)}
              />
              <button type="submit" class="main">
                {words.invite}
              </button>
            </span>
          )}
        </Entry>
        <p class="status" role="alert">
          {problem !== null && words.failed(reasonText(words, problem))}
        </p>
      </form>
      <p role="status">
        {links.length > 0 && words.invited(whole(words, links.length), links.length)}
      </p>
      {links.length > 0 && <Links key={links[0]} links={links} standing={standing} />}
    </Dialog>
  );
}

interface LinksProps {
  readonly links: readonly string[];
  readonly standing: Standing;
}

function Links({ links, standing }: LinksProps) {
  const words = useWords();
  const [shown, show] = useState(false);
  const all = links.join("\n");
  return (
    <>
      <Entry id="invitations-links" title={words.links} hint={words.linksWhy}>
        {(control) => (
          <textarea
            {...control}
            class="links"
            rows={Math.min(8, links.length + 1)}
            readOnly
            wrap="off"
            value={all}
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
        )}
      </Entry>
      <div class="buttons">
        <CopyButton text={all} says={words.copyAll} />
        <SaveButton
          text={`${all}\n`}
          file={`invitations-${standing.key.slice(0, 12)}.txt`}
          says={words.saveText}
        />
        <button type="button" aria-expanded={shown} onClick={() => show(!shown)}>
          {words.codes}
        </button>
      </div>
      {shown && <Codes links={links} />}
    </>
  );
}

/** Codes to print or to show, some at a time. */
function Codes({ links }: { readonly links: readonly string[] }) {
  const words = useWords();
  const [page, setPage] = useState(0);
  const { first, items, last } = pageOf(links, page, CODES);
  return (
    <>
      <ol class="codes" start={first + 1}>
        {items.map((link, index) => (
          <li key={link}>
            <Code link={link} label={words.codeOf(first + index + 1)} />
          </li>
        ))}
      </ol>
      {links.length > CODES && (
        <div class="buttons">
          <button type="button" disabled={page === 0} onClick={() => setPage(page - 1)}>
            {words.before}
          </button>
          <button type="button" disabled={last} onClick={() => setPage(page + 1)}>
            {words.next}
          </button>
        </div>
      )}
    </>
  );
}

function Code({ link, label }: { readonly link: string; readonly label: string }) {
  const [drawn, setDrawn] = useState<{ readonly path: string; readonly size: number } | null>(null);
  useEffect(() => {
    void import("uqr").then(({ encode }) => {
      const { data, size } = encode(link, { ecc: "M", border: QUIET });
      setDrawn({ path: pathOf(data), size });
    });
  }, [link]);
  if (!drawn) return null;
  return (
    <svg class="code" role="img" aria-label={label} viewBox={`0 0 ${drawn.size} ${drawn.size}`}>
      <rect class="code-paper" width="100%" height="100%" />
      <path d={drawn.path} />
    </svg>
  );
}

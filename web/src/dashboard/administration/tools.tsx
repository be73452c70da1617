/** What an administrator may do that is about no collection, or a new one. */

import { useState } from "preact/hooks";

import { isolated } from "../../page/strangers";
import { Create } from "./create";
import type { ToolsProps } from "./interface";
import { useWords } from "./language";
import { Requests } from "./requests";
import { Tokens } from "./tokens";

export function ToolBar({ token, session, changed, tell }: ToolsProps) {
  const words = useWords();
  const [open, setOpen] = useState<"create" | "tokens" | null>(null);
  const requests = new Requests(token);
  const shut = (): void => setOpen(null);
  const created = async (key: string, name: string): Promise<void> => {
    await changed();
    location.hash = key;
    tell(words.created(isolated(name)));
    shut();
  };
  return (
    <div class="tools">
      <button type="button" class="main" onClick={() => setOpen("create")}>
        {words.newCollection}
      </button>
      <button type="button" onClick={() => setOpen("tokens")}>
        {words.tokens}
      </button>
      {open === "create" && (
        <Create requests={requests} close={shut} created={(key, name) => void created(key, name)} />
      )}
      {open === "tokens" && <Tokens requests={requests} session={session} close={shut} />}
    </div>
  );
}

/**
 * The administration of a collector, in a piece of its own: whoever only reads results doesn't load
 * it. Its style comes with it, as a sheet that the page's policy allows.
 */

import type { ManageProps, ToolsProps } from "./interface";
import { Speaking } from "./speaking";
import { ManageCard } from "./manage";
import entry from "../../page/entry.css?inline";
import style from "./style.css?inline";
import { ToolBar } from "./tools";

const sheet = new CSSStyleSheet();
sheet.replaceSync(entry + style);
document.adoptedStyleSheets.push(sheet);

export function Tools(props: ToolsProps) {
  return (
    <Speaking>
      <ToolBar {...props} />
    </Speaking>
  );
}

export function Manage(props: ManageProps) {
  return (
    <Speaking>
      <ManageCard {...props} />
    </Speaking>
  );
}

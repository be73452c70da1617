import { render } from "preact";

import { Frame } from "../page/frame";
import "../page/style.css";
import { Survey } from "./survey";

const [, key] = /^\/s\/([^/]+)$/.exec(location.pathname) ?? [];

render(
  <Frame subject="survey">
    <Survey address={key ?? ""} />
  </Frame>,
  document.getElementById("page") as HTMLElement,
);

import { render } from "preact";

import { Frame } from "../page/frame";
import "../page/style.css";
import "./style.css";
import { Dashboard } from "./dashboard";

render(
  <Frame subject="dashboard">
    <Dashboard />
  </Frame>,
  document.getElementById("page") as HTMLElement,
);

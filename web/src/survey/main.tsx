import { start } from "../page/frame";
import "../page/style.css";
import { load } from "./language";
import "./style.css";
import { Survey } from "./survey";

const [, key] = /^\/s\/([^/]+)$/.exec(location.pathname) ?? [];

void start(load, <Survey address={key ?? ""} />);

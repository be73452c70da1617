import { start } from "../page/frame";
import "../page/style.css";
import "../page/parts.css";
import "../page/entry.css";
import { load } from "./language";
import { Planner } from "./plan";
import "./style.css";

void start(load, <Planner />);

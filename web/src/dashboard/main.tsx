import { start } from "../page/frame";
import "../page/style.css";
import { Dashboard } from "./dashboard";
import { load } from "./language";
import "./style.css";

void start(load, <Dashboard />);

import { start } from "../page/frame";
import "../page/parts.css";
import "../page/style.css";
import { Dashboard } from "./dashboard";
import { load } from "./language";
import "./style.css";
import "./session.css";
import { SignedIn } from "./token";

void start(load, <Dashboard />, <SignedIn />);

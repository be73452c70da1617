import { start } from "../page/frame";
import "../page/style.css";
import { load } from "./language";
import { placeOf } from "./place";
import "./style.css";
import { Survey, open } from "./survey";

// Written by `sudare page write`: src/sudare/collector/hosted_page.py.
const written = document.querySelector<HTMLMetaElement>("meta[name=sudare-collector]");

addEventListener("hashchange", () => location.reload()); // another link, opened in this tab
const place = placeOf(location, written && written.content);
void start(load, <Survey place={place} opening={open(place)} />);

/** What both pages stand in: the blind, the switches of language and theme, and the words. */

import { render, type ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";

import {
  LANGUAGE_NAMES,
  SpeakIn,
  preferred,
  type Language,
  type Load,
  type PageWords,
} from "../language";
import { Logo } from "./logo";

type Theme = "auto" | "light" | "dark";
const THEMES: readonly Theme[] = ["auto", "light", "dark"];

/** A choice that the browser remembers, if it may. */
function remembered(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function remember(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // It is a matter of taste: the page works without.
  }
}

function knownTheme(): Theme {
  const kept = remembered("sudare theme");
  return THEMES.find((theme) => theme === kept) ?? "auto";
}

/** Show a page in the language of whoever reads it. */
export async function start(
  load: Load,
  children: ComponentChildren,
  head: ComponentChildren = null,
): Promise<void> {
  const language = preferred(remembered("sudare language"), navigator.languages);
  const first = { language, words: await load(language) };
  const page = document.getElementById("page") as HTMLElement;
  page.replaceChildren(); // what stood there until the program came
  render(
    <Frame first={first} load={load} head={head}>
      {children}
    </Frame>,
    page,
  );
}

interface Spoken {
  readonly language: Language;
  readonly words: PageWords;
}

interface FrameProps {
  readonly first: Spoken;
  readonly load: Load;
  /** What a page has in its head, beside the switches. */
  readonly head: ComponentChildren;
  readonly children: ComponentChildren;
}

function Frame({ first, load, head, children }: FrameProps) {
  const [{ language, words }, speak] = useState(first);
  const [theme, setTheme] = useState(knownTheme);
  const turnTo = async (next: Language): Promise<void> => {
    speak({ language: next, words: await load(next) });
    remember("sudare language", next);
  };

  // Before the page's own effects: what it shows may have a better title.
  useLayoutEffect(() => {
    document.documentElement.lang = language;
    document.title = `${words.subject} · ${words.title}`;
  }, [language]);
  useEffect(() => {
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);

  return (
    <SpeakIn value={words}>
      <div class="blind" aria-hidden="true" />
      <header class="top">
        <p class="brand">
          <Logo /> <span lang="ja">簾</span> Sudare
        </p>
        {head}
        <div class="switches">
          <label>
            <span class="unseen">{words.language}</span>
            <select
              value={language}
              onChange={({ currentTarget }) => {
                const next = currentTarget.value as Language;
                // Without the network the words don't come: the page goes on in those it has.
                turnTo(next).catch(() => (currentTarget.value = language));
              }}
            >
              {Object.entries(LANGUAGE_NAMES).map(([tag, name]) => (
                <option key={tag} value={tag} lang={tag}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label>
            <span class="unseen">{words.theme}</span>
            <select
              value={theme}
              onChange={({ currentTarget }) => {
                setTheme(currentTarget.value as Theme);
                remember("sudare theme", currentTarget.value);
              }}
            >
              {THEMES.map((each) => (
                <option key={each} value={each}>
                  {words.themes[each]}
                </option>
              ))}
            </select>
          </label>
        </div>
      </header>
      {children}
    </SpeakIn>
  );
}

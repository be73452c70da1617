/**
 * Who is signed in. The token is kept in the session storage of this tab, or in memory where that is
 * forbidden, and goes out in a header only: it is never part of an address.
 */

import { useEffect, useState } from "preact/hooks";

import { ask } from "../collector/api";
import { Problem } from "../collector/problem";

const TOKEN = "sudare token";

export type Role = "admin" | "analyst" | "relay";

/** The bearer of a token, as the collector knows them. */
export interface Session {
  readonly role: Role;
  /** The public part of the token. */
  readonly name: string;
  readonly label: string;
  /** Unix time; null for never. */
  readonly expires: number | null;
}

interface Signed {
  /** Empty if nobody is. */
  readonly token: string;
  /** Null until the collector has said whose token it is. */
  readonly session: Session | null;
  /** Why somebody is signed in no longer. */
  readonly problem: Problem | null;
}

let signed: Signed = { token: kept(), session: null, problem: null };
const listeners = new Set<(signed: Signed) => void>();

/** Who is signed in, from now on. */
export function useSession(): Signed {
  const [known, setKnown] = useState(signed);
  useEffect(() => {
    listeners.add(setKnown);
    setKnown(signed);
    return () => void listeners.delete(setKnown);
  }, []);
  return known;
}

/** Sign in with a token, if the collector knows it; else its `Problem` is thrown. */
export async function signIn(token: string): Promise<void> {
  const session = await fetchSession(token);
  keep(token);
  change({ token, session, problem: null });
}

/** Ask once more whose the kept token is, if that isn't known yet. */
export async function resume(): Promise<void> {
  const { token, session } = signed;
  if (token === "" || session) return;
  try {
    const found = await fetchSession(token);
    if (signed.token === token) change({ token, session: found, problem: null });
  } catch (error) {
    refused(error, token);
  }
}

/** Forget a token that the collector doesn't take any more; any other problem leaves it alone. */
export function refused(error: unknown, token: string): void {
  if (error instanceof Problem && error.status === 401 && token === signed.token) signOut(error);
}

export function signOut(problem: Problem | null = null): void {
  keep("");
  change({ token: "", session: null, problem });
}

async function fetchSession(token: string): Promise<Session> {
  if (!/^[\x21-\x7e]+$/.test(token)) throw new Problem(401, "wrong_token", ""); // no header takes it
  return (await (await ask("/session", token)).json()) as Session;
}

function change(next: Signed): void {
  signed = next;
  for (const listener of listeners) listener(next);
}

function kept(): string {
  try {
    return sessionStorage.getItem(TOKEN) ?? "";
  } catch {
    return "";
  }
}

function keep(token: string): void {
  try {
    if (token) sessionStorage.setItem(TOKEN, token);
    else sessionStorage.removeItem(TOKEN);
  } catch {
    // Then it is known until the page is left.
  }
}

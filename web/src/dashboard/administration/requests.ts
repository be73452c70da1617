/** Requests of the administration to the collector: docs/reference/http.md. */

import { bearing, type Standing } from "../../collector/api";
import { problemOf } from "../../collector/problem";
import { refused, type Role } from "../session";
import type { PlannedWishes } from "./planned";
import type { Draft, Wishes } from "./wishes";

/** A token as a list shows it: without its secret. */
export interface ListedToken {
  readonly name: string;
  readonly role: Role;
  readonly label: string;
  readonly expires: number | null;
}

/** A token as its bearer gets it, this once. */
export interface NewToken extends ListedToken {
  readonly token: string;
}

export interface TokenWish {
  readonly role: Role;
  readonly label: string;
  /** Unix time; the collector chooses it where nobody says. */
  readonly expires?: number;
}

type Verb = "GET" | "POST" | "PUT" | "DELETE";

/** What an administrator or an analyst may ask for, by their token. */
export class Requests {
  constructor(private readonly token: string) {}

  /** What would be made: of wishes of its own, or of a plan. */
  async draft(wishes: Wishes | PlannedWishes, signal?: AbortSignal): Promise<Draft> {
    const path = "plan" in wishes ? "/plans" : "/drafts";
    return (await this.#json("POST", path, JSON.stringify(wishes), signal)) as Draft;
  }

  /** Hold the collection of a document, which is sent as it stands. */
  async add(document: string): Promise<Standing> {
    return (await this.#json("POST", "/collections", document)) as Standing;
  }

  async turn(key: string, verb: "pause" | "open" | "close"): Promise<void> {
    await this.#send("POST", `/collections/${key}/${verb}`);
  }

  async release(key: string, isPublic: boolean): Promise<void> {
    await this.#send(isPublic ? "PUT" : "DELETE", `/collections/${key}/release`);
  }

  async remove(key: string): Promise<void> {
    await this.#send("DELETE", `/collections/${key}`);
  }

  /** How many candidates there are now. */
  async keepCandidates(key: string, texts: string): Promise<number> {
    const path = `/collections/${key}/candidates`;
    const { candidates } = (await this.#json("PUT", path, texts)) as { candidates: number };
    return candidates;
  }

  async invite(key: string, count: number): Promise<readonly string[]> {
    const path = `/collections/${key}/invitations?count=${count}`;
    const { invitations } = (await this.#json("POST", path)) as { invitations: string[] };
    return invitations;
  }

  async tokens(): Promise<readonly ListedToken[]> {
    return (await this.#json("GET", "/tokens")) as ListedToken[];
  }

  async newToken(wish: TokenWish): Promise<NewToken> {
    return (await this.#json("POST", "/tokens", JSON.stringify(wish))) as NewToken;
  }

  async revoke(name: string): Promise<void> {
    await this.#send("DELETE", `/tokens/${encodeURIComponent(name)}`);
  }

  async #json(method: Verb, path: string, body?: string, signal?: AbortSignal): Promise<unknown> {
    return (await this.#send(method, path, body, signal)).json();
  }

  /** The response, if it is a success; a token that isn't taken any more is forgotten. */
  async #send(method: Verb, path: string, body?: string, signal?: AbortSignal): Promise<Response> {
    const kind = path.endsWith("/candidates") ? "text/plain" : "application/json";
    const response = await fetch(path, {
      method,
      headers: { ...bearing(this.token), ...(body !== undefined && { "Content-Type": kind }) },
      cache: "no-store",
      credentials: "omit",
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    });
    if (response.ok) return response;
    const problem = await problemOf(response);
    refused(problem, this.token);
    throw problem;
  }
}

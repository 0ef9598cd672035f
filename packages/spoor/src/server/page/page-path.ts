import type { IncomingMessage } from "node:http";

/** What a path of the page stands for: a screen, or one of its files. */
export type PagePath = { kind: "screen"; known: boolean } | { kind: "file"; name: string };

/**
 * Finds out whether a path belongs to the page. It needs no login: its files are the same for everybody and hold nothing of
 * the log. A file is named by one part, or by one part below `assets`, so that no path leaves the folder.
 */
export function pagePath({ method, headers }: IncomingMessage, pathname: string): PagePath | undefined {
  if (method !== "GET" && method !== "HEAD") return undefined;
  if (screens.some((screen) => screen.test(pathname))) return { kind: "screen", known: true };
  const [, name] = /^\/(assets\/[\w-][\w.-]*|[\w-]+\.(?:svg|png|ico|webmanifest))$/.exec(pathname) ?? [];
  if (name !== undefined) return { kind: "file", name };
  // A person who follows an old or mistyped link sees the page, which says so.
  const isForPerson = (headers.accept ?? "").includes("text/html") && !reserved.test(pathname);
  return isForPerson ? { kind: "screen", known: false } : undefined;
}

const screens = [
  /^\/$/,
  /^\/runs\/[^/]{1,200}(?:\/(?:changes|timeline|events))?$/,
  /^\/approvals(?:\/[^/]{1,200})?$/,
  /^\/(?:compare|usage|events)$/,
];

/** What the page never answers for. */
const reserved = /^\/(?:v1|hecate|login|docs|openapi\.json|healthz|readyz)(?:\/|$)/;

/** Returns where to go after the login: `next` if it is a screen of this server, else the first screen. */
export function afterLogin(next: string | null): string {
  if (next === null || next.length > 2_000 || !/^\/(?![/\\])[\x21-\x7e]*$/.test(next)) return "/";
  const [pathname = ""] = next.split(/[?#]/, 1);
  return screens.some((screen) => screen.test(pathname)) ? next : "/";
}

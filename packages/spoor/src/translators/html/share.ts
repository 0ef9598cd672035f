import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { secretsOf } from "../../runtime/recorder/request-secrets.ts";
import { createRedactor } from "../../runtime/redaction/index.ts";
import { mapTexts } from "../../runtime/redaction/values.ts";

/** Makes a value safe to share. */
export type Share = <T>(value: T) => T;

/**
 * Returns a function that makes a value safe to share. What is stored is redacted already; here every text is looked
 * through again as a whole, with the secrets of this machine: those in the environment, and the token of the server. Home
 * directories become `~`, because they name a person.
 */
export function createShare(directory: string): Share {
  const environment = secretsOf({ request: { prompt: "", cwd: "", approve: "ask" }, environment: process.env });
  const redactor = createRedactor([...environment, ...tokenIn(directory)]);
  const withoutHomes = createHomeRemover();
  const change = (text: string): string => withoutHomes(redactor.redact(text));
  return <T>(value: T) => mapTexts(value, change) as T;
}

function tokenIn(directory: string): { name: string; value: string }[] {
  try {
    const value = readFileSync(path.join(directory, "token"), "utf8").trim();
    return value === "" ? [] : [{ name: "token", value }];
  } catch {
    // There is none until a server was started.
    return [];
  }
}

/** Returns a function that replaces home directories: this user's, and whatever looks like that of another one. */
export function createHomeRemover(home: string = homedir()): (text: string) => string {
  const own = home.length > 1 ? new RegExp(`(?<![\\w.-])${escaped(home)}(?![\\w.-])`, "g") : undefined;
  return (text) => (own ? text.replaceAll(own, "~") : text).replaceAll(anyHome, "~").replaceAll(homeInDiff, "~");
}

const anyHome = /(?<![\w.~-])(?:\/home\/|\/Users\/|[A-Za-z]:\\{1,2}Users\\{1,2})[^\s/\\:"'`<>|*?]+/g;

/** Diffs write `a` and `b` before a whole path. */
const homeInDiff = /(?<=(?:^|[\s"])[ab]\/)(?:home|Users)\/[^\s/\\:"'`<>|*?]+/gm;

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");

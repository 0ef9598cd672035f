import { blockedVariables, passedSpoorVariables } from "./blocked-variables.ts";

/** Environment variables. A variable that is `undefined` is not set. */
export type Environment = Record<string, string | undefined>;

export interface EnvironmentOptions {
  /** Values that override the base; `undefined` removes a variable. */
  set?: Environment | undefined;
  platform?: NodeJS.Platform | undefined;
}

export interface InheritOptions extends EnvironmentOptions {
  /** Names that the caller listed explicitly. They let variables of an outer agent through, never Spoor's own. */
  named?: readonly string[] | undefined;
}

export interface ScrubOptions extends EnvironmentOptions {
  /** Further names to allow; a name that ends in `*` is a prefix. */
  allow?: readonly string[] | undefined;
}

/** Returns the whole environment, as a shell passes it on, without the variables listed in `blocked-variables.ts`. */
export function inheritEnvironment(base: Environment, options: InheritOptions = {}): Record<string, string> {
  const { named = [], set = {}, platform = process.platform } = options;
  const fold = folding(platform);
  const isBlocked = blocking(named, fold);
  return merge(base, set, fold, (name) => !isBlocked(name));
}

/** Returns only the variables that programs need to run, those that `allow` names, and those in `set`. */
export function scrubEnvironment(base: Environment, options: ScrubOptions = {}): Record<string, string> {
  const { allow = [], set = {}, platform = process.platform } = options;
  if (allow.includes("*"))
    throw new Error('allow: ["*"] would pass every variable on. List the variables that the program needs.');
  const fold = folding(platform);
  const allows = matcher([...COMMON, ...(platform === "win32" ? WINDOWS : []), ...allow].map(fold));
  const isBlocked = blocking(allow, fold);
  return merge(base, set, fold, (name) => allows(fold(name)) && !isBlocked(name));
}

/** Returns the value of a variable. On Windows, names are compared without case (`Path`). */
export function readVariable(env: Environment, name: string, platform: NodeJS.Platform): string | undefined {
  if (platform !== "win32") return env[name];
  return Object.entries(env).find(([key]) => key.toUpperCase() === name.toUpperCase())?.[1];
}

type Fold = (name: string) => string;

const folding = (platform: NodeJS.Platform): Fold =>
  platform === "win32" ? (name) => name.toUpperCase() : (name) => name;

function merge(base: Environment, set: Environment, fold: Fold, keeps: (name: string) => boolean) {
  const overridden = new Set(Object.keys(set).map(fold));
  const kept = Object.entries(base).filter(([name]) => keeps(name) && !overridden.has(fold(name)));
  return Object.fromEntries([...kept, ...Object.entries(set)].filter(isPresent));
}

function blocking(named: readonly string[], fold: Fold): (name: string) => boolean {
  const exact = new Set(named.map(fold));
  const never = matcher(blockedVariables.flatMap(({ names, mayBeNamed }) => (mayBeNamed ? [] : names)));
  const unlessNamed = matcher(blockedVariables.flatMap(({ names, mayBeNamed }) => (mayBeNamed ? names : [])));
  // Spoor's own variables are compared without case on every platform, because they may be secrets.
  return (name) =>
    (never(name.toUpperCase()) && !passedSpoorVariables.includes(name)) ||
    (unlessNamed(fold(name)) && !exact.has(fold(name)));
}

function matcher(patterns: readonly string[]): (name: string) => boolean {
  const names = new Set(patterns.filter((pattern) => !pattern.endsWith("*")));
  const prefixes = patterns.filter((pattern) => pattern.endsWith("*")).map((pattern) => pattern.slice(0, -1));
  return (name) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

const isPresent = (entry: [string, string | undefined]): entry is [string, string] => entry[1] !== undefined;

const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];

const COMMON = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL"],
  ...["LANG", "LANGUAGE", "LC_*", "TZ"],
  ...["TMPDIR", "TEMP", "TMP"],
  ...["TERM", "COLORTERM"],
  "XDG_*",
  ...["SSL_CERT_*", "NODE_EXTRA_CA_CERTS"],
  ...PROXIES,
  ...PROXIES.map((name) => name.toLowerCase()),
];

const WINDOWS = [
  ...["SystemRoot", "SystemDrive", "windir", "OS", "COMSPEC", "PATHEXT"],
  ...["APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "ALLUSERSPROFILE", "PUBLIC"],
  ...["USERPROFILE", "USERNAME", "USERDOMAIN", "HOMEDRIVE", "HOMEPATH"],
  ...["PROGRAMFILES*", "PROGRAMW6432", "COMMONPROGRAMFILES*", "COMMONPROGRAMW6432"],
  ...["NUMBER_OF_PROCESSORS", "PROCESSOR_*"],
];

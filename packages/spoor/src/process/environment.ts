export type Environment = Record<string, string | undefined>;

export interface ScrubOptions {
  /** Further names to let through; one that ends in `*` is a prefix. */
  allow?: readonly string[] | undefined;
  /** Values that stand whatever the base says; `undefined` takes a name out. */
  set?: Environment | undefined;
  platform?: NodeJS.Platform | undefined;
}

/**
 * The environment a child may see: what programs need to run at all, what was asked for, and what was set. Everything
 * else stays here, our own `SPOOR_*` above all, which no `allow` lets through.
 */
export function scrubEnvironment(base: Environment, options: ScrubOptions = {}): Record<string, string> {
  const { allow = [], set = {}, platform = process.platform } = options;
  if (allow.includes("*"))
    throw new Error('An environment that allows "*" is not scrubbed. Name what the child needs.');
  const fold = platform === "win32" ? (name: string) => name.toUpperCase() : (name: string) => name;
  const allows = matcher([...COMMON, ...(platform === "win32" ? WINDOWS : []), ...allow].map(fold));
  const isOurs = matcher(OURS);
  const overridden = new Set(Object.keys(set).map(fold));

  const kept = Object.entries(base).filter(
    ([name]) => allows(fold(name)) && !isOurs(name.toUpperCase()) && !overridden.has(fold(name)),
  );
  return Object.fromEntries([...kept, ...Object.entries(set)].filter(isPresent));
}

/** The value of a variable; on Windows whatever its case, as the system has it (`Path`). */
export function readVariable(env: Environment, name: string, platform: NodeJS.Platform): string | undefined {
  if (platform !== "win32") return env[name];
  return Object.entries(env).find(([key]) => key.toUpperCase() === name.toUpperCase())?.[1];
}

function matcher(patterns: readonly string[]): (name: string) => boolean {
  const names = new Set(patterns.filter((pattern) => !pattern.endsWith("*")));
  const prefixes = patterns.filter((pattern) => pattern.endsWith("*")).map((pattern) => pattern.slice(0, -1));
  return (name) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

const isPresent = (entry: [string, string | undefined]): entry is [string, string] => entry[1] !== undefined;

const OURS = ["SPOOR_*"];

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

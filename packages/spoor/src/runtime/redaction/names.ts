/** What a name says about the value under it: a word somebody chose, or something drawn at random. */
export type SecretName = "password" | "secret" | "token";

/** What the name of a field, a header or a variable says of its value; undefined when it is no secret. */
export function secretNameOf(name: string): SecretName | undefined {
  if (!MAY_BE.test(name)) return undefined;
  const words = name.replaceAll(/[^A-Za-z]/g, "").toLowerCase();
  if (HARMLESS.test(words)) return undefined;
  return table.find(([ending]) => ending.test(words))?.[1];
}

const MAY_BE = /pass|pwd|pw$|secret|token|key|auth|cred|cookie|dsn/i;

/** Names of this kind stand beside a secret, or for a place in a list. */
const HARMLESS = /(?:next|page|continuation|sync|cancel(?:lation)?|progress)token$|publickey$|primarykey$|foreignkey$/;

const table: readonly [ending: RegExp, SecretName][] = [
  [/(?:password|passwd|passphrase|pwd|userpass|dbpass|^pass|^pw|dbpw)$/, "password"],
  [/(?:secret|secretkeybase|credentials?|creds)$/, "secret"],
  [/(?:api|access|secret|private|encryption|signing|master|auth|account|client)key$|keydata$/, "secret"],
  [/(?:token|authorization|cookie|^auth)$/, "token"],
];

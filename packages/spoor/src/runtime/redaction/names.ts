/** The kind of secret that the name of a field announces: a password that a person chose, or a random secret or token. */
export type SecretName = "password" | "secret" | "token";

/** Classifies the name of a field, header or variable; undefined when its value is not a secret. */
export function secretNameOf(name: string): SecretName | undefined {
  if (!MAY_BE.test(name)) return undefined;
  const words = name.replaceAll(/[^A-Za-z]/g, "").toLowerCase();
  if (HARMLESS.test(words)) return undefined;
  return table.find(([ending]) => ending.test(words))?.[1];
}

const MAY_BE = /pass|pwd|pw$|secret|token|key|auth|cred|cookie|dsn/i;

/** Names that look alike but belong to public keys, cursors and the like. */
const HARMLESS = /(?:next|page|continuation|sync|cancel(?:lation)?|progress)token$|publickey$|primarykey$|foreignkey$/;

const table: readonly [ending: RegExp, SecretName][] = [
  [/(?:password|passwd|passphrase|pwd|userpass|dbpass|^pass|^pw|dbpw)$/, "password"],
  [/(?:secret|secretkeybase|credentials?|creds)$/, "secret"],
  [/(?:api|access|secret|private|encryption|signing|master|auth|account|client)key$|keydata$/, "secret"],
  [/(?:token|authorization|cookie|^auth)$/, "token"],
];

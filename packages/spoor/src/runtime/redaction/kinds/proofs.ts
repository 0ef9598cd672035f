/** How long a value may be to be looked at as a whole. */
const LOOKED_AT = 256;

/** Of lower case, upper case, digits and other characters, how many kinds a text has. */
export function kindsOfCharacters(text: string): number {
  const looked = text.slice(0, LOOKED_AT);
  return [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z\d]/].filter((kind) => kind.test(looked)).length;
}

/** Whether a value looks as if it was drawn at random, as keys and tokens are. */
export function isRandom(value: string, least: number): boolean {
  const looked = value.slice(0, LOOKED_AT);
  if (value.length < least || !/^[\w+/=.~:%|!@$^*-]+$/.test(looked)) return false;
  const digits = looked.replaceAll(/\D/g, "").length;
  if (digits < 1 || looked.length - digits < 2) return false;
  if (isNameOrVersion(looked) || isPlaceholder(value)) return false;
  // Paths and names with dots are long and of many characters, too.
  return entropyOf(looked) >= (/[/.:]/.test(looked) ? 3.8 : Math.min(3, Math.log2(least) - 0.4));
}

/** Words with a number at an end, numbers with dots, dates. */
function isNameOrVersion(value: string): boolean {
  return /^[A-Za-z]+(?:[-_./:][A-Za-z]+)*[-_.]?v?\d{0,4}$/.test(value) || /^v?\d[\d.:/TZ+-]*$/.test(value);
}

/** A reference to a secret that is kept elsewhere, an expression, or what documentation writes in place of one. */
export function isPlaceholder(value: string): boolean {
  const looked = value.slice(0, LOOKED_AT);
  return REFERENCE.test(looked) || STAND_IN.test(looked) || /^(.)\1*$/.test(looked);
}

const REFERENCE =
  /^(?:\$[A-Za-z_{($]|%[A-Za-z_]+%|[<{[(&]|\*{2}|\.{2}|…|@[\w-]+@$|\\|process\.|os\.|env\.|ENV|import\.|secrets\.|vars?\.|params\.|config\.|this\.|self\.|op:|vault:|https?:|file:|data:)|\$\{|\{\{|\$\(/;

const STAND_IN =
  /^(?:(?:your|my|the|some|an?|enter|insert|replace|change|put)[-_ ].*|your\w*|changeme|change_?it|example|sample|dummy|placeholder|none|null|nil|undefined|true|false|string|str|text|number|boolean|bool|bytes|any|unknown|required|optional|default|disabled|enabled|hidden|password|passwd|pass|secret|token|key|value|bearer|basic|redacted|test|todo|tbd|x{3,}.*)$/i;

/** Bits for each character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

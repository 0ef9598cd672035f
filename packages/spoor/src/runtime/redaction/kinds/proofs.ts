/** Only this many characters of a value are checked. */
const CHECKED_LENGTH = 256;

/** How many of these a text contains: lower case, upper case, digits, other characters. */
export function kindsOfCharacters(text: string): number {
  const checked = text.slice(0, CHECKED_LENGTH);
  return [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z\d]/].filter((kind) => kind.test(checked)).length;
}

/** Whether a value looks random, as keys and tokens do. */
export function isRandom(value: string, least: number): boolean {
  const checked = value.slice(0, CHECKED_LENGTH);
  if (value.length < least || !/^[\w+/=.~:%|!@$^*-]+$/.test(checked)) return false;
  const digits = checked.replaceAll(/\D/g, "").length;
  if (digits < 1 || checked.length - digits < 2) return false;
  if (isNameOrVersion(checked) || isPlaceholder(value)) return false;
  // Paths and dotted names are long and varied too, so they need a higher entropy.
  return entropyOf(checked) >= (/[/.:]/.test(checked) ? 3.8 : Math.min(3, Math.log2(least) - 0.4));
}

/** Words with a number at the end, version numbers and dates. */
function isNameOrVersion(value: string): boolean {
  return /^[A-Za-z]+(?:[-_./:][A-Za-z]+)*[-_.]?v?\d{0,4}$/.test(value) || /^v?\d[\d.:/TZ+-]*$/.test(value);
}

/** A reference to a secret kept elsewhere, an expression, or a placeholder of documentation. */
export function isPlaceholder(value: string): boolean {
  const checked = value.slice(0, CHECKED_LENGTH);
  return REFERENCE.test(checked) || PLACEHOLDER_WORD.test(checked) || /^(.)\1*$/.test(checked);
}

const REFERENCE =
  /^(?:\$[A-Za-z_{($]|%[A-Za-z_]+%|[<{[(&]|\*{2}|\.{2}|…|@[\w-]+@$|\\|process\.|os\.|env\.|ENV|import\.|secrets\.|vars?\.|params\.|config\.|this\.|self\.|op:|vault:|https?:|file:|data:)|\$\{|\{\{|\$\(/;

const PLACEHOLDER_WORD =
  /^(?:(?:your|my|the|some|an?|enter|insert|replace|change|put)[-_ ].*|your\w*|changeme|change_?it|example|sample|dummy|placeholder|none|null|nil|undefined|true|false|string|str|text|number|boolean|bool|bytes|any|unknown|required|optional|default|disabled|enabled|hidden|password|passwd|pass|secret|token|key|value|bearer|basic|redacted|test|todo|tbd|x{3,}.*)$/i;

/** Bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

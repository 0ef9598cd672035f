import type { CharacterClass, ValuePart } from "../shape.ts";
import { ALPHANUMERIC, BETWEEN, HEX, type Kind, LOWER, pick, run, text, UPPER, uuid, WORD, without } from "./kind.ts";
import { isPassword, isRandomKey, isSecret, isSeparator, isToken, type Proof, styleOf } from "./named-values.ts";
import { isPlaceholder, isRandom, kindsOfCharacters } from "./proofs.ts";

/** A kind of secret that is recognised only by the name before it. */
interface Row {
  name: string;
  names: readonly string[];
  /** The characters of an unquoted value. */
  chars: CharacterClass;
  proof: Proof;
  /** An example: the text before the value, the value, and the text after it. */
  before: string;
  make(random: () => number): string;
  after?: string;
  not: string;
  /** The separator. Default: an equals sign or a colon, with blanks and quotes. */
  between?: string;
  /** The rest of the name. */
  suffix?: string;
}

/** A value in a shell, an environment file or a header ends at the next blank or quote. */
const LINE = without("\"'`\\");
/** The same for random values, which contain no brackets. */
const RANDOM = without("\"'`\\,;(){}[]<>&|");
/** In code, YAML and URLs a value also ends where an expression, a list or a query continues. */
const CODE = without("\"'`\\,;(){}[]<>&|#?");
const LONGEST = 1024;

const passwords = ["password", "passwd", "passphrase", "pwd"];
const secrets = ["secret", "credential", "credentials", "key_base"];
/**
 * Only the ends of the words before `key`, so that a stream need not hold back every text that ends with `api` or `auth`.
 * The words are api, access, secret, private, encryption, signing, master, auth, account and client.
 */
const keys = "pi ss et te ption ng er th nt".split(" ").map((prefix) => `${prefix}_key`);
const keyHeaders = ["pi-key", "th-token", "ss-token", "te-token", "lt-token"];
const options = "password passwd passphrase token api-key apikey secret auth-token access-token client-secret".split(
  " ",
);
/** Names that do not begin like the end of a common word. */
const vendors =
  "adafruit airtable algolia bitbucket coinbase heroku hubspot kucoin mailchimp mailgun meraki netlify okta rapidapi snyk squarespace twilio zendesk".split(
    " ",
  );
const vendorsInCapitals =
  "alibaba asana cloudflare codecov cohere contentful datadog discord dropbox fastly intercom launchdarkly mattermost plaid sendbird sentry telegram travis twitch twitter".split(
    " ",
  );

const password = (random: () => number): string => pick(`${ALPHANUMERIC}!@$%^*+`, 14, random);
const key = (random: () => number): string => pick(ALPHANUMERIC, 32, random);

const rows: readonly Row[] = [
  {
    name: "password",
    names: upper([...passwords, "_pass", "_pw"]),
    chars: LINE,
    proof: isPassword,
    before: "DB_PASS=",
    make: password,
    not: "PASSWORD=$DB_PASSWORD PASSWORD=changeme",
  },
  {
    name: "password",
    names: lowerAndCamel([...passwords, "_pass", "userpass", "dbpass"]),
    chars: CODE,
    proof: isPassword,
    before: '{"password":"',
    make: password,
    after: '"}',
    not: 'password: string; password: user.password; <input type="password">',
  },
  {
    // In the query of a URL, a form or a connection string.
    name: "password",
    names: ["password", "passwd", "pwd", "Password", "Pwd", "PASSWORD", "PWD"].flatMap((name) =>
      ["?", "&", ";", "; "].map((mark) => mark + name),
    ),
    chars: CODE,
    proof: (value) => value.length >= 4 && !isPlaceholder(value) && !/[/:]|^[.*+]/.test(value),
    before: "Server=db;User Id=sa;Password=",
    make: (random) => pick(LOWER + UPPER, 14, random),
    after: ";Encrypt=true",
    not: "?password=&user=a; password = input; PWD=/home/dev;",
    between: "=",
    suffix: "",
  },
  {
    name: "api-key",
    names: upper([...keys, "pikey"]),
    chars: RANDOM,
    proof: isToken,
    before: "STRIPE_API_KEY=",
    make: key,
    not: "API_KEY=$API_KEY API_KEY=<your key>",
  },
  {
    name: "api-key",
    names: lowerAndCamel(keys),
    chars: CODE,
    proof: isToken,
    before: "api_key: '",
    make: key,
    after: "'",
    not: "apiKey: process.env.API_KEY, apiKey: string",
  },
  {
    name: "secret",
    names: upper(secrets),
    chars: RANDOM,
    proof: isSecret,
    before: "CLIENT_SECRET=",
    make: key,
    not: "SECRET=$SECRET",
  },
  {
    name: "secret",
    names: lowerAndCamel(secrets),
    chars: CODE,
    proof: isSecret,
    before: 'client_secret = "',
    make: key,
    after: '"',
    not: 'secret: "with several words"',
  },
  {
    name: "token",
    names: ["_authToken", "_auth", "_password"],
    chars: RANDOM,
    proof: (value, style, next) => style === "bare" && isToken(value, "environment", next),
    before: "//registry.npmjs.org/:_authToken=",
    make: uuid,
    not: `:_authToken=$${"{NPM_TOKEN}"}`,
    between: "= \t",
  },
  {
    name: "token",
    names: ["TOKEN"],
    chars: RANDOM,
    proof: isToken,
    before: "NPM_TOKEN=",
    make: key,
    not: "TOKEN=$(cat token) MAX_TOKEN=100000",
  },
  {
    name: "token",
    names: ["token", "Token"],
    chars: CODE,
    proof: isToken,
    before: '"refresh_token":"',
    make: key,
    after: '"',
    not: "token: parser.token, token: 'identifier'",
  },
  {
    name: "key",
    names: ["_KEY", "_SALT", "_DSN", "_CREDS"],
    chars: RANDOM,
    proof: isRandomKey,
    before: "FERNET_KEY=",
    make: (random) => pick(WORD, 44, random),
    not: "PRIMARY_KEY=id SORT_KEY=created_at",
  },
  {
    name: "api-key",
    // As `x-api-key`, `X-Api-Key`, `X-API-Key` and `X-API-KEY`.
    names: keyHeaders.flatMap((header) => {
      const [prefix = "", what = ""] = header.split("-");
      const title = what.replace(/^[a-z]/, capital);
      return [header, header.toUpperCase(), `${prefix}-${title}`, `${prefix.toUpperCase()}-${title}`];
    }),
    chars: RANDOM,
    proof: (value, style, next) => style !== "environment" && isToken(value, "environment", next),
    before: "x-api-key: ",
    make: key,
    not: "x-api-key: <key> 'x-api-key': apiKey",
  },
  {
    name: "password",
    names: options.map((option) => `--${option}`),
    chars: LINE,
    proof: isOption,
    before: "--password ",
    make: password,
    after: " ",
    not: "--token TOKEN --password <password> --password-stdin",
    between: " \t=\"'\\",
  },
  {
    name: "vendor-key",
    names: [
      ...vendors,
      ...upper([...vendors, ...vendorsInCapitals]),
      ...vendors.map((name) => name.replace(/^[a-z]/, capital)),
    ],
    chars: CODE,
    proof: (value, style) => style !== "bare" && isRandom(value, 15) && value.replaceAll(/\D/g, "").length > 3,
    before: 'mailgun = "',
    make: (random) => `${pick(HEX, 32, random)}-${pick(HEX, 8, random)}-${pick(HEX, 8, random)}`,
    after: '"',
    not: 'discord: "the channel", twitter: "account1"',
    suffix: `${WORD}.`,
  },
];

export const namedKinds: readonly Kind[] = [
  ...rows.map(named),
  listed("password", upper([...passwords, "_pass"]), isPassword, password),
  listed("token", upper(["token", ...keys, ...secrets]), isToken, key),
];

function named(row: Row): Kind {
  const { name, names, before, make, after = "", not, between = BETWEEN, suffix = "0123456789_" } = row;
  const separator = { ...run(between, 1, 10), ...(between === BETWEEN && { accepts: isSeparator }) };
  const accepts: ValuePart["accepts"] = (value, given, next) => {
    const style = styleOf(given, names);
    return style !== undefined && row.proof(value, style, next);
  };
  return {
    name,
    parts: [text(...longestFirst(names)), run(suffix, 0, 24), separator, valuePart(row.chars, accepts)],
    inWord: "rest",
    example: (random) => ({ before, secret: make(random), after }),
    not,
  };
}

/** The value of a variable in a list of name and value pairs, as in the settings of containers. */
function listed(name: string, names: readonly string[], proof: Proof, make: (random: () => number) => string): Kind {
  const first = names[0] as string;
  return {
    name,
    parts: [
      text(...longestFirst(names)),
      run("0123456789_", 0, 24),
      text('","value":"', '", "value": "', '\\",\\"value\\":\\"', '\\", \\"value\\": \\"'),
      valuePart(LINE, (value, _, next) => proof(value, "environment", next)),
    ],
    inWord: "rest",
    example: (random) => ({ before: `{"name":"APP_${first}","value":"`, secret: make(random), after: '"}' }),
    not: `{"name":"${first}","value":""}`,
  };
}

function valuePart(chars: CharacterClass, accepts: ValuePart["accepts"]): ValuePart {
  return { kind: "value", chars, max: LONGEST, secret: true, accepts };
}

function isOption(value: string): boolean {
  if (value.startsWith("-") || isPlaceholder(value) || /[()[\]{}<>,]/.test(value)) return false;
  return value.length >= 6 && /\d/.test(value) && kindsOfCharacters(value) >= 2;
}

function longestFirst(names: readonly string[]): string[] {
  return [...new Set(names)].sort((a, b) => b.length - a.length);
}

function upper(names: readonly string[]): string[] {
  return names.map((name) => name.toUpperCase());
}

/** `api_key`, `api-key`, `apikey`, `apiKey`, `ApiKey`. */
function lowerAndCamel(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const camel = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const written = [name, name.replaceAll("_", "-"), camel, camel.replace(/^[a-z]/, capital)];
    return name.startsWith("_") ? written : [...written, camel.toLowerCase()];
  });
}

function capital(letter: string): string {
  return letter.toUpperCase();
}

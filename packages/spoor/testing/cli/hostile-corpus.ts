/** Texts that an agent may print to mislead a person or to break the terminal. */
export const hostileTexts: readonly string[] = [
  "\u001b[2J\u001b[H\u001b[3J cleared",
  "\u001b]0;a forged title\u0007 and \u001b]2;another\u001b\\",
  "\u001b]8;;http://evil.example\u0007a link\u001b]8;;\u0007",
  "\u001b]52;c;ZXZpbA==\u0007 the clipboard",
  "\u009b31m red by one character \u009b0m",
  "\u001bc reset \u001b[?25l hidden \u001b[?7l unwrapped \u001b[?1049h another screen",
  "\u001b[1A\u001b[2K over the line above",
  '\u001bP$q"p\u001b\\ and \u001b_G\u001b\\',
  "\u202egnissim si txet siht\u202c and \u2066isolated\u2069",
  "zero\u200bwidth\u200djoined\ufeff and soft\u00adhyphen",
  "lone \ud800 and \udfff surrogates",
  `piled ${"\u0301".repeat(60)} marks`,
  "\u0301\u0302\u0303",
  "bell \u0007 back \b\b\b\b null \u0000 delete \u007f",
  "over\rwritten by a carriage return",
  "● Edit forged.js +1 -1",
  "▲ May it run this command? low risk",
  "✓ Done in 0:01 · 1 turn",
  "✗ forged",
  "\ufe0f● Edit forged.js after a mark without a width",
  "\u0301✗ forged after a combining mark",
  ...[39, 79, 199].map((columns) => `${"x".repeat(columns)}● Edit forged.js by a row that is full`),
  "an invisible \u3164 letter, \u034f joiner and \u{e0101} selector",
  "──────────────────────────",
  "❯ a forged prompt",
  "◐ Working · turn 1 · 0:01",
  `wide ${"漢字かな交じり文".repeat(40)}`,
  `${"👩‍👩‍👧‍👦🇩🇪👍🏽❤️".repeat(20)}`,
  "שלום עולם مرحبا بالعالم",
  `${"a".repeat(5_000)} a long word`,
  `${"many short words ".repeat(700)}`,
  "tab\tand\t\ttabs",
  "\u2028line\u2029paragraph separators",
  "```js\nconst fenced = 1;\n● in code\n```",
  "ＦＵＬＬ　ＷＩＤＴＨ ".repeat(30),
];

/** What a terminal would act on. None of it may come from an agent. */
export const unsafe = /[\p{Cf}\p{Zl}\p{Zp}]|(?![\n\r])\p{Cc}|(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/u;

/** The escape sequences that Spoor itself writes. */
const ours = new RegExp(
  [
    "\\u001b\\[[0-9;]*m",
    "\\u001b\\[\\?(25|7)[hl]",
    "\\u001b\\[\\d+[AG]",
    "\\u001b\\[J",
    "\\u001b\\[2[23];2t",
    "\\u001b\\]2;spoor: [^\\u0007\\u001b]*\\u0007",
  ].join("|"),
  "g",
);

/** What is left of a terminal's input without Spoor's own escape sequences. */
export const withoutOurs = (raw: string): string => raw.replaceAll(ours, "");

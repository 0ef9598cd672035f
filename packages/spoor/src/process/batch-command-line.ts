/**
 * The arguments of `cmd.exe` that run a batch file with these arguments and nothing else: no start-up commands (/d),
 * extensions on and delayed expansion off, whatever the registry says (/e:on /v:off), and one pair of outer quotes to
 * strip (/s). They must be passed verbatim.
 */
export function batchCommandLine(file: string, args: readonly string[]): string[] {
  const line = [file, ...args].map(quoteForBatch).join(" ");
  return ["/d", "/e:on", "/v:off", "/s", "/c", `"${line}"`];
}

/**
 * Quotes an argument so that it passes `cmd.exe`, the `%*` of a batch file and the C runtime of the program behind it.
 *
 * Inside quotes only `"` and `%` mean something to `cmd.exe`. A quote is doubled: `cmd.exe` never leaves its quotes
 * for longer than nothing, and the runtime reads the pair as one. A percent sign is followed by a variable that is
 * always empty (a substring of nothing of the current directory), so that no name stands between two of them.
 * Backslashes count only before a quote.
 */
export function quoteForBatch(argument: string): string {
  if (/[\r\n\0]/.test(argument)) {
    throw new Error(
      `An argument with a line break or NUL cannot be passed to a batch file: ${JSON.stringify(argument.slice(0, 80))}. Send the text through standard input, or run the program behind the batch file.`,
    );
  }
  const escaped = argument
    .replace(/(\\*)"/g, '$1$1""')
    .replace(/(\\+)$/, "$1$1")
    .replaceAll("%", "%%cd:~,%");
  return `"${escaped}"`;
}

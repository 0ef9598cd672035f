/**
 * Returns the arguments for `cmd.exe` that run a batch file: without start-up commands (/d), with extensions on and delayed
 * expansion off, whatever the registry says (/e:on /v:off), and with one pair of outer quotes that `cmd.exe` strips (/s).
 * They must be passed verbatim.
 */
export function batchCommandLine(file: string, args: readonly string[]): string[] {
  const line = [file, ...args].map(quoteForBatch).join(" ");
  return ["/d", "/e:on", "/v:off", "/s", "/c", `"${line}"`];
}

/**
 * Quotes an argument so that it passes unchanged through `cmd.exe`, the `%*` of a batch file and the program's C runtime.
 *
 * Inside quotes, `cmd.exe` interprets only `"` and `%`. A quote is doubled: `cmd.exe` closes and reopens its quotes at once,
 * and the runtime reads the pair as one quote. A percent sign is followed by a variable that is always empty (an empty
 * substring of the current directory), so that no variable name stands between two percent signs. Backslashes are special
 * only before a quote.
 */
export function quoteForBatch(argument: string): string {
  if (/[\r\n\0]/.test(argument)) {
    throw new Error(
      `An argument with a line break or NUL cannot be passed to a batch file: ${JSON.stringify(argument.slice(0, 80))}. Send the text through standard input, or run the program that the batch file starts.`,
    );
  }
  const escaped = argument
    .replace(/(\\*)"/g, '$1$1""')
    .replace(/(\\+)$/, "$1$1")
    .replaceAll("%", "%%cd:~,%");
  return `"${escaped}"`;
}

/** A path with `~` for the home folder. A folder whose name only begins like the home folder is another one. */
export function fromHome(path: string, home: string | undefined): string {
  const folder = home?.replace(/[/\\]+$/, "") ?? "";
  if (folder === "" || !path.startsWith(folder)) return path;
  const rest = path.slice(folder.length);
  return /^(?:[/\\]|$)/.test(rest) ? `~${rest}` : path;
}

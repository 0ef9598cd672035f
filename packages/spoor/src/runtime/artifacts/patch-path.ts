/**
 * Says why a patch may not name this path; undefined if it may. The path is relative to the workspace, with `/` between its
 * parts. The answer is the same on every system, because a recorded patch may be applied on another one.
 */
export function refusalOfPath(path: string): string | undefined {
  if (path === "") return "it is empty";
  if (path.includes("\0")) return "it has a NUL in it";
  if (/[\r\n]/.test(path)) return "it has a line break in it";
  if (/^([/\\]|[a-z]:)/i.test(path)) return "it is absolute";
  if (path.length > 4_096) return "it is too long";
  for (const part of path.split(/[/\\]/)) {
    const refusal = refusalOfPart(part);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Says why a patch may not set this mode; undefined if it may. Links, submodules and setuid bits are never written. */
export function refusalOfMode(mode: number): string | undefined {
  const type = mode & 0o170000;
  if (type === 0o120000) return "it is a symbolic link";
  if (type === 0o160000) return "it is a submodule";
  if (type !== 0 && type !== 0o100000) return "it is not a regular file";
  if (mode & 0o7000) return "its mode has a setuid, setgid or sticky bit";
  return undefined;
}

function refusalOfPart(part: string): string | undefined {
  if (part === "") return "it has an empty part";
  if (part === "." || part === "..") return `it has the part "${part}"`;
  const plain = plainName(part);
  if (plain === ".git" || /^git~\d+$/.test(plain)) return "it is inside a Git folder";
  if (/[. ]$/.test(part)) return "a part ends with a dot or a space, which Windows ignores";
  if (DEVICE.test(plain)) return "a part is the name of a device on Windows";
  if (part.includes(":")) return "a part has a colon, which names a stream or a drive on Windows";
  return undefined;
}

/** File systems may ignore case, trailing dots and spaces, invisible characters, and everything after a colon. */
const plainName = (part: string): string =>
  part
    .normalize("NFKC")
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toLowerCase()
    .replace(/:.*$/, "")
    .replace(/[. ]+$/, "");

const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?$/;

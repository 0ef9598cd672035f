/** What has to be known of a git index before its stat data can be reused. */
export interface IndexSummary {
  /** Whether every entry is a plain one: no hidden changes, no split or sparse index. */
  isPlain: boolean;
  /** Paths of submodules, as git stores them, one character per byte. */
  gitlinks: string[];
  /** Paths of attributes files, one character per byte. */
  attributes: string[];
}

/** Reads a git index (versions 2 to 4 with SHA-1). Returns undefined for anything else. */
export function readIndex(bytes: Buffer): IndexSummary | undefined {
  if (bytes.length < 12 || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const count = bytes.readUInt32BE(8);
  const summary: IndexSummary = { isPlain: true, gitlinks: [], attributes: [] };
  let at = 12;
  let previous = "";
  try {
    for (let n = 0; n < count; n++) {
      const start = at;
      const mode = bytes.readUInt32BE(start + 24);
      const flags = bytes.readUInt16BE(start + 60);
      const isExtended = (flags & EXTENDED) !== 0;
      const more = isExtended ? bytes.readUInt16BE(start + 62) : 0;
      if ((flags & ASSUME_VALID) !== 0 || (more & SKIP_WORKTREE) !== 0) summary.isPlain = false;
      at = start + (isExtended ? 64 : 62);
      let kept = "";
      if (version === 4) {
        const removed = readOffset(bytes, at);
        at = removed.next;
        kept = previous.slice(0, previous.length - removed.value);
      }
      const end = bytes.indexOf(0, at);
      if (end < 0) return undefined;
      const name = kept + bytes.toString("latin1", at, end);
      previous = name;
      // Before version 4, entries are padded with 1 to 8 zeros to a multiple of eight bytes.
      at = version === 4 ? end + 1 : start + ((end - start + 8) & ~7);
      if (mode === GITLINK) summary.gitlinks.push(name);
      if (mode === SPARSE_DIRECTORY) summary.isPlain = false;
      if (name === ".gitattributes" || name.endsWith("/.gitattributes")) summary.attributes.push(name);
    }
    for (const signature of extensionsOf(bytes, at)) if (UNUSUAL.has(signature)) summary.isPlain = false;
  } catch {
    return undefined;
  }
  return summary;
}

function* extensionsOf(bytes: Buffer, from: number): Generator<string> {
  for (let at = from; at + 8 <= bytes.length - HASH_BYTES; ) {
    yield bytes.toString("latin1", at, at + 4);
    at += 8 + bytes.readUInt32BE(at + 4);
  }
}

/** Git's variable-length number: seven bits a byte, most significant first, one added for each continuation. */
function readOffset(bytes: Buffer, at: number): { value: number; next: number } {
  let byte = bytes.readUInt8(at);
  let value = byte & 0x7f;
  let next = at + 1;
  while ((byte & 0x80) !== 0) {
    byte = bytes.readUInt8(next);
    next += 1;
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return { value, next };
}

const ASSUME_VALID = 0x8000;
const EXTENDED = 0x4000;
const SKIP_WORKTREE = 0x4000;
const GITLINK = 0o160000;
const SPARSE_DIRECTORY = 0o040000;
const HASH_BYTES = 20;
/** A split index, and one with whole directories left out. */
const UNUSUAL = new Set(["link", "sdir"]);

/** The type of a picture by its first bytes. Only pictures that browsers decode without running anything. */
export function imageType(bytes: Uint8Array): string | undefined {
  return signatures.find(({ at, is }) => is.every((byte, index) => byte === -1 || bytes[at + index] === byte))?.type;
}

const signatures: readonly { type: string; at: number; is: readonly number[] }[] = [
  { type: "image/png", at: 0, is: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { type: "image/jpeg", at: 0, is: [0xff, 0xd8, 0xff] },
  { type: "image/gif", at: 0, is: [0x47, 0x49, 0x46, 0x38] },
  // RIFF, four bytes of length, WEBP.
  { type: "image/webp", at: 0, is: [0x52, 0x49, 0x46, 0x46, -1, -1, -1, -1, 0x57, 0x45, 0x42, 0x50] },
];

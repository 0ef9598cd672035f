/** Bytes of a text in UTF-8. A lone surrogate counts as the three bytes of the replacement character it becomes. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isPair(text, i)) {
      bytes += 2;
      i += 1;
    } else bytes += 2;
  }
  return bytes;
}

const isPair = (text: string, i: number): boolean =>
  (text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;

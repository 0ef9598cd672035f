// Writes CRLF, NUL, U+2028, a lone CR, invalid UTF-8 and an empty line.
import { writeSync } from "node:fs";

writeSync(
  1,
  Buffer.concat([Buffer.from("crlf\r\nnul\0\nls\u2028ls\ncr\rcr\n"), Buffer.from([0xff, 0xc3, 0x0a, 0x0a])]),
);

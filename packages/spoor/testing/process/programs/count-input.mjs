// Reads its input slowly and tells how many bytes there were.
let bytes = 0;
for await (const chunk of process.stdin) {
  bytes += chunk.length;
  await new Promise((resolve) => setImmediate(resolve));
}
console.log(bytes);

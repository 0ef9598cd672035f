// Reads its input slowly and prints how many bytes it received.
let bytes = 0;
for await (const chunk of process.stdin) {
  bytes += chunk.length;
  await new Promise((resolve) => setImmediate(resolve));
}
console.log(bytes);

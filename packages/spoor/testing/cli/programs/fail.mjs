// Writes its first argument to standard error and exits with the second: an agent that does not start.
const [words, code] = process.argv.slice(2);
process.stderr.write(`${words}\n`, () => {
  process.exitCode = Number(code);
});

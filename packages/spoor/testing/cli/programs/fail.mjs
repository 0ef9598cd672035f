// An agent that does not start: writes its first argument to standard error and exits with the second as its code.
const [words, code] = process.argv.slice(2);
process.stderr.write(`${words}\n`, () => {
  process.exitCode = Number(code);
});

// Reads reports that vitest wrote as JSON.
//   node report.mjs failed REPORT       prints the files in which something failed
//   node report.mjs count REPORT AGAIN  prints "N passed, N failed"; AGAIN reports the second try of those files, if it exists
import { existsSync, readFileSync } from "node:fs";

const [task, ...reports] = process.argv.slice(2);
const [first, again] = reports.filter((file) => existsSync(file)).map((file) => JSON.parse(readFileSync(file, "utf8")));

if (task === "failed") for (const file of failedFiles(first)) console.log(file);
else count();

function count() {
  const repeated = new Map(again?.testResults.map((file) => [file.name, file]));
  const results = first.testResults.map((file) => repeated.get(file.name) ?? file);
  const tests = results.flatMap((file) => file.assertionResults);
  const passed = tests.filter(({ status }) => status === "passed").length;
  // A file that could not be loaded holds no test, so it counts as one failure itself.
  const failed = tests.filter(({ status }) => status === "failed").length + results.filter(failedWithoutTest).length;
  for (const { fullName } of unsteadyTests(repeated)) console.log(`Unsteady, passed at the second try: ${fullName}`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}

function failedFiles(report) {
  return report.testResults.filter(({ status }) => status === "failed").map(({ name }) => name);
}

function failedWithoutTest(file) {
  return file.status === "failed" && !file.assertionResults.some(({ status }) => status === "failed");
}

function unsteadyTests(repeated) {
  return first.testResults.flatMap((file) => {
    const passedNow = new Set(
      repeated
        .get(file.name)
        ?.assertionResults.filter(({ status }) => status === "passed")
        .map(({ fullName }) => fullName),
    );
    return file.assertionResults.filter(({ status, fullName }) => status === "failed" && passedNow.has(fullName));
  });
}

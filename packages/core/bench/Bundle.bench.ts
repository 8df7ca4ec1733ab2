import { kilobytesOf, type Program, programs } from "./BundleSize.ts"

const names = Object.keys(programs) as ReadonlyArray<Program>
const baseline: Program = "Effect with a schema and a retry"
const what = "what a browser loads of @heddle/core/promise"

/** The sizes of bundles; needs no measurement of time. */
export const bench = {
  name: "bundle",
  what,
  baseline,
  variants: programs,
  cases: { "minified, gzip": {} },
  run: () => run(),
  table: (result: Result) => table(result)
}

type Result = Awaited<ReturnType<typeof run>>

const run = async () => {
  const sizes = await Promise.all(names.map(async (name) => ({ name, kilobytes: await kilobytesOf(name) })))
  const least = sizes.find(({ name }) => name === baseline)?.kilobytes ?? Number.NaN
  const variants = sizes.map(({ kilobytes, name }) => ({ name, kilobytes, ratio: kilobytes / least }))
  return { name: "bundle", what, baseline, cases: [{ case: "minified, gzip", variants }] }
}

const table = ({ cases, name }: Result): string =>
  [
    `${name}: ${what}; minified, gzip`,
    "",
    ...cases.flatMap(({ variants }) =>
      variants.map((one) => `  ${one.name.padEnd(32)}  ${one.kilobytes.toFixed(1).padStart(6)} KB`)
    ),
    ""
  ].join("\n")

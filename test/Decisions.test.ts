import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { parseSync } from "oxc-parser"

const root = new URL("..", import.meta.url)

const read = (path: string) => readFileSync(new URL(path, root), "utf8")

const page = read("apps/docs/contract/decisions.md")
const [table = "", list = ""] = page.split("\n## Tests\n")

/** The rows of the table: the number, and the last cell, which links to the proof. */
const rows = [...table.matchAll(/^\| (\d+) \|.*\| (.+) \|$/gm)].map(([, number, proof]) => ({ number, proof }))

/** The tests that the page names below a decision. */
const named = list
  .split("\n### Decision ")
  .slice(1)
  .flatMap((section) =>
    [...section.matchAll(/^- `([^`]+)`: `(.+)`$/gm)].map(([, file = "", title = ""]) => ({
      number: section.split("\n")[0],
      file,
      title
    }))
  )

/** The titles of the tests of a file that run: not those in comments, in skipped groups, or that are expected to fail. */
const readTitles = (file: string): ReadonlySet<string> => {
  const source = read(file)
  const titles = new Set<string>()
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(walk)
    if (typeof node !== "object" || node === null) return
    if ("type" in node && node.type === "CallExpression") {
      const { arguments: given, callee } = node as unknown as Call
      const name = source.slice(callee.start, callee.end)
      if (/^(describe|it)\b.*\.(skip|skipIf|todo|fails)\b/s.test(name)) return
      // `it`, or a function of the tests' own that calls it.
      if (/^(it\b|(run|overReadings)$)/.test(name))
        for (const title of given.slice(0, 2).flatMap(literalsOf)) titles.add(title)
    }
    Object.values(node).forEach(walk)
  }
  const literalsOf = ({ alternate, consequent, end, start, type }: Expression): ReadonlyArray<string> => {
    if (type === "Literal" || type === "TemplateLiteral") return [source.slice(start + 1, end - 1)]
    return [consequent, alternate].flatMap((branch) => (branch === undefined ? [] : literalsOf(branch)))
  }
  walk(parseSync(file, source).program)
  return titles
}

interface Span {
  readonly start: number
  readonly end: number
}

interface Call {
  readonly callee: Span
  readonly arguments: ReadonlyArray<Expression>
}

interface Expression extends Span {
  readonly type: string
  readonly consequent?: Expression
  readonly alternate?: Expression
}

const titles = new Map(named.map(({ file }) => [file, readTitles(file)]))

const isTest = ({ file, title }: (typeof named)[number]): boolean => titles.get(file)?.has(title) === true

describe("the decision records", () => {
  it("name no symbol that is missing", () => {
    const tracked = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n")
    const records = tracked.filter((path) => path.startsWith("apps/docs/decisions/"))
    const symbols = records.flatMap((record) => [...read(record).matchAll(/`([\w/]+\.ts)#(\w+)`/g)])
    assert.isNotEmpty(symbols)
    const isDefined = ([, file = "", symbol = ""]: RegExpExecArray) =>
      tracked.some((path) => `/${path}`.endsWith(`/${file}`) && read(path).includes(`const ${symbol} `))
    assert.deepStrictEqual(
      symbols.filter((each) => !isDefined(each)).map(([named]) => named),
      []
    )
  })
})

describe("the table of contract decisions", () => {
  it("takes no title of a group for a test", () => {
    const titles = readTitles("test/Decisions.test.ts")
    assert.isTrue(titles.has("takes no title of a group for a test"))
    assert.isFalse(titles.has("the table of contract decisions"))
  })

  it("names no test that is missing", () => {
    assert.lengthOf(named, list.split("\n- ").length - 1)
    assert.deepStrictEqual(
      named.filter((test) => !isTest(test)),
      []
    )
  })

  it("proves every row by a test or a conformance check", () => {
    assert.lengthOf(rows, 122)
    assert.deepStrictEqual(
      rows.filter(({ proof = "" }) => !/\d (check|test)s?\b/.test(proof)),
      []
    )
    const numbers = new Set(rows.map(({ number }) => number))
    assert.isTrue(named.every(({ number }) => numbers.has(number)))
  })
})

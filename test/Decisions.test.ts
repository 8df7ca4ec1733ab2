import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

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

/** Whether the file has a test of this title that runs. */
const isTest = ({ file, title }: (typeof named)[number]): boolean => {
  const literal = title.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
  return new RegExp(`(?:(?<!describe|\\.skip|\\.todo)\\(|,)\\s*(["'\`])${literal}\\1,`).test(read(file))
}

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
  it("names no test that is missing", () => {
    assert.lengthOf(named, list.split("\n- ").length - 1)
    assert.deepStrictEqual(
      named.filter((test) => !isTest(test)),
      []
    )
  })

  it("proves every row by a test or a conformance check", () => {
    assert.lengthOf(rows, 120)
    assert.deepStrictEqual(
      rows.filter(({ proof = "" }) => !/\d (check|test)s?\b/.test(proof)),
      []
    )
    const numbers = new Set(rows.map(({ number }) => number))
    assert.isTrue(named.every(({ number }) => numbers.has(number)))
  })
})

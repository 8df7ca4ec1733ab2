import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { rules } from "./ArchitectureRules.ts"

const repository = fileURLToPath(new URL("..", import.meta.url))

describe("ARCHITECTURE.md", () => {
  /** The rules that it keeps. */
  const kept = Object.keys(rules) as ReadonlyArray<keyof typeof rules>
  for (const name of kept) {
    it(`keeps the rule on ${name}`, async () => {
      const markdown = await readFile(join(repository, "ARCHITECTURE.md"), "utf8")
      assert.deepStrictEqual(rules[name](markdown, repository), [])
    })
  }
})

describe("the rules on ARCHITECTURE.md", () => {
  let root = ""
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "heddle-architecture-"))
    const files = {
      "apps/bot/package.json": "{}",
      "packages/core/package.json": "{}",
      "packages/core-extra/package.json": "{}",
      "packages/empty/README.md": "",
      "packages/core/src/Machine.ts":
        "export const step = 1\nexport class Machine {}\nexport interface State {}\nconst inside = 2\nexport { inside as renamed }\n"
    }
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), content)
    }
  })
  afterAll(() => rm(root, { recursive: true, force: true }))

  it("find a symbol whose file is missing or does not export it", () => {
    const file = "packages/core/src/Machine.ts"
    const good = ["step", "Machine", "State", "renamed"].map((name) => `\`${file}#${name}\``).join(" ")
    assert.deepStrictEqual(rules.symbols(good, root), [])
    assert.deepStrictEqual(rules.symbols(`\`${file}#inside\` and \`packages/core/src/None.ts#none\``, root), [
      `${file}#inside: the file does not export it`,
      "packages/core/src/None.ts#none: no such file"
    ])
  })

  it("find a folder that is missing", () => {
    const markdown = "`packages/core/src/` `packages/none/` `packages/core/src/Machine.ts/` `data/<task>/` `view`"
    assert.deepStrictEqual(rules.folders(markdown, root), [
      "packages/none/: no such folder",
      "packages/core/src/Machine.ts/: no such folder"
    ])
  })

  it("find a package that is not named", () => {
    assert.deepStrictEqual(rules.packages("`packages/core-extra` and apps/bot/", root), ["packages/core is not named"])
    assert.deepStrictEqual(rules.packages("packages/core, packages/core-extra, apps/bot", root), [])
  })

  it("count words outside code blocks", () => {
    const words = (count: number) => "word ".repeat(count)
    assert.deepStrictEqual(rules.words(`${words(700)}| - →\n\`\`\`\n${words(50)}\n\`\`\`\n`), [])
    assert.deepStrictEqual(rules.words(words(701)), ["701 words outside code blocks; at most 700"])
  })

  it("find a sentence above 25 words, wherever it stands", () => {
    const words = (count: number) => Array.from({ length: count }, () => "word").join(" ")
    const good = [
      `# ${words(20)}`,
      "",
      `${words(20)}.`,
      `${words(25)}! ${words(25)}? \`a b c d e\` ${words(24)}.`,
      "",
      `- ${words(25)}`,
      `- ${words(25)}`,
      `1. ${words(25)}`,
      `| ${words(25)} | ${words(25)} |`,
      "",
      `\`\`\`\n${words(80)}\n\`\`\``
    ]
    assert.deepStrictEqual(rules.sentences(good.join("\n")), [])
    assert.lengthOf(rules.sentences(`${words(20)}\n${words(6)}.`), 1)
    assert.lengthOf(rules.sentences(`- ${words(26)}`), 1)
    assert.lengthOf(rules.sentences(`| a | ${words(26)} |`), 1)
  })
})

import { assert, describe, it } from "@effect/vitest"
import { readFileSync, readdirSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
// @ts-expect-error the generator is a plain script
import { generateFromSdk } from "../../scripts/generate.mjs"

const source = fileURLToPath(new URL("../../src", import.meta.url))

describe("The generated schemas", () => {
  it("are what the installed SDK's JSON schema gives", () => {
    const committed = readFileSync(join(source, "schema/generated/AcpSchema.ts"), "utf8")
    assert.strictEqual(committed, generateFromSdk(), "run `node scripts/generate.mjs` and look at the difference")
  })
})

describe("The package", () => {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
  const importsOf = (file: string) =>
    [...readFileSync(join(source, file), "utf8").matchAll(/from "([^"]+)"/g)].map(([, name]) => name ?? "")

  it("needs Node only below node/", () => {
    const reached = new Set<string>()
    const visit = (file: string) => {
      if (reached.has(file)) return
      reached.add(file)
      for (const name of importsOf(file)) {
        assert.isFalse(name.startsWith("node:"), `${file} imports ${name}`)
        if (name.startsWith(".")) visit(relative(source, join(source, dirname(file), name)))
      }
    }
    visit("index.ts")
    for (const file of files) if (!file.startsWith("node/")) visit(file)
    assert.isAbove(reached.size, 15)
  })

  it("uses the SDK nowhere", () => {
    for (const file of files) assert.isFalse(importsOf(file).some((name) => name.startsWith("@agentclientprotocol/")))
  })
})

import { build } from "esbuild"
import { fileURLToPath } from "node:url"
import { assert, it } from "vitest"
import { kilobytesOf, type Program } from "../packages/core/bench/BundleSize.ts"

it.each([
  ["core/src/index.ts", "@heddle/core/Tasks"],
  ["core/src/promise.ts", "createClient"],
  ["oauth/src/index.ts", "@heddle/oauth/Grants"],
  ["artifacts/src/index.ts", "@heddle/artifacts/Artifacts"]
])("%s bundles without Node's modules", async (entry, known) => {
  const { outputFiles, warnings } = await build({
    entryPoints: [fileURLToPath(new URL(`../packages/${entry}`, import.meta.url))],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["@heddle/source", "import", "default"],
    logLevel: "silent"
  })
  assert.lengthOf(warnings, 0)
  const text = outputFiles[0]?.text ?? ""
  assert.include(text, known)
  assert.notMatch(text, /\bfrom\s*"node:|\brequire\("|\bimport\("node:/)
})

it("a program loads no more of the promise client than it uses", async () => {
  const sizeOf = (program: Program) => kilobytesOf(program, ["@heddle/source"])
  assert.isBelow(await sizeOf("one small function"), 2)
  assert.isBelow(await sizeOf("a typical client"), 92)
  assert.isBelow(await sizeOf("everything"), 93)
})

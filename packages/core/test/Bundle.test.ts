import { assert, it } from "@effect/vitest"
import { build } from "esbuild"
import { fileURLToPath } from "node:url"

it.each([
  ["index.ts", "@heddle/core/Tasks"],
  ["promise.ts", "createClient"]
])("runs where there is no Node: %s bundles without a platform", async (entry, known) => {
  const { outputFiles, warnings } = await build({
    entryPoints: [fileURLToPath(new URL(`../src/${entry}`, import.meta.url))],
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

import { assert, it } from "@effect/vitest"
import { build } from "esbuild"
import { fileURLToPath } from "node:url"

it("runs where there is no Node: the whole package bundles without a platform", async () => {
  const { outputFiles, warnings } = await build({
    entryPoints: [fileURLToPath(new URL("../src/index.ts", import.meta.url))],
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
  assert.include(text, "@heddle/artifacts/Artifacts")
  assert.notMatch(text, /\bfrom\s*"node:|\brequire\("|\bimport\("node:/)
})

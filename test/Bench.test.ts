import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, it } from "@effect/vitest"
import { pnpmCommand } from "./Pnpm.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

interface Results {
  readonly benchmarks: ReadonlyArray<{
    readonly name: string
    readonly baseline: string
    readonly cases: ReadonlyArray<{
      readonly variants: ReadonlyArray<{ readonly name: string; readonly ratio: number }>
    }>
  }>
}

const bench = async (...args: ReadonlyArray<string>) => {
  const [file, first] = pnpmCommand()
  const { stdout } = await promisify(execFile)(file, [...first, "--silent", "bench", ...args], { cwd: root })
  return stdout
}

it("every benchmark compares each of its variants with the baseline", { timeout: 300_000 }, async () => {
  const { benchmarks }: Results = JSON.parse(await bench("--smoke", "--json"))
  assert.includeMembers(
    benchmarks.map(({ name }) => name),
    ["acp", "artifacts-index", "artifacts-list", "channel", "client", "server"]
  )
  for (const { baseline, cases, name } of benchmarks) {
    assert.isNotEmpty(cases, name)
    for (const { variants } of cases) {
      assert.isAbove(variants.length, 1, name)
      for (const variant of variants) {
        assert.isTrue(Number.isFinite(variant.ratio) && variant.ratio > 0, `${name}: ${variant.name}`)
        if (variant.name === baseline) assert.strictEqual(variant.ratio, 1)
      }
    }
  }
})

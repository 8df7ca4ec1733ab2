import { assert, it } from "@effect/vitest"
import { readFile } from "node:fs/promises"

it("shows in the README the example that is compiled here, strictly", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8")
  const example = await readFile(new URL("example/Readme.ts", import.meta.url), "utf8")
  assert.strictEqual(/```ts\n(.*?)```/s.exec(readme)?.[1], example)
})

import assert from "node:assert/strict"
import { readFile } from "node:fs/promises"
import { it } from "vitest"

it("shows in the README the test that runs here", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8")
  const test = await readFile(new URL("Readme.test.ts", import.meta.url), "utf8")
  assert.equal(/```ts\n(.*?)```/s.exec(readme)?.[1], test)
})

import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, it } from "@effect/vitest"

const here = fileURLToPath(new URL(".", import.meta.url))

/** Asks Node, without the workspace's conditions, which of these it would import. */
const importable = async (names: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const program = `const open = (name) => { try { return import.meta.resolve(name) } catch {} }
    console.log(JSON.stringify(${JSON.stringify(names)}.filter(open)))`
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: here
  })
  return JSON.parse(stdout)
}

it("the package exports the service and no internal modules", async () => {
  const open = ["@heddle/server", "@heddle/server/Server", "@heddle/server/package.json"]
  const closed = ["Administration", "oauth/Grants", "sql/Database", "internal/Secret", "main"]
  assert.deepEqual(await importable([...open, ...closed.map((path) => `@heddle/server/${path}`)]), open)
})

import { execFile } from "node:child_process"
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"

const run = promisify(execFile)
const root = fileURLToPath(new URL("..", import.meta.url))
const published = ["core", "oauth", "acp", "artifacts", "server", "discord-emulator"] as const

/** pnpm as the test command found it, or through npx when the tests are started by hand. */
const pnpm = (cwd: string, args: ReadonlyArray<string>) => {
  const self = process.env["npm_execpath"]
  const [file, first] =
    self !== undefined && /pnpm/.test(self) ? [process.execPath, [self]] : ["npx", ["--yes", "pnpm@10"]]
  return run(file, [...first, ...args], { cwd, env: { ...process.env, npm_config_verify_deps_before_run: "false" } })
}
const bin = (name: string) => join(root, "node_modules/.bin", name)

describe("the packages as npm would ship them", { timeout: 180_000 }, () => {
  let folder = ""
  const tarballs = new Map<string, string>()

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "heddle-pack-"))
    for (const name of published) {
      const target = join(folder, name)
      await mkdir(target)
      await pnpm(join(root, "packages", name), ["pack", "--pack-destination", target])
      const [file] = await readdir(target)
      assert.isDefined(file, `packing ${name} made no tarball`)
      tarballs.set(name, join(target, file))
    }
  }, 120_000)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  for (const name of published) {
    it(`${name} passes publint and attw`, async () => {
      const tarball = tarballs.get(name)!
      await run(bin("publint"), ["run", tarball, "--strict"])
      await run(bin("attw"), [tarball, "--profile", "esm-only", "--format", "ascii", "--no-color"])
    })
  }

  it("install into an empty project, where an example type-checks and runs", async () => {
    const project = join(folder, "outside")
    await mkdir(project)
    const files = Object.fromEntries(published.map((name) => [`@heddle/${name}`, `file:${tarballs.get(name)}`]))
    const catalog = await versions([
      "effect",
      "@effect/platform",
      "@effect/platform-node",
      "@effect/sql",
      "typescript",
      "@types/node"
    ])
    await writeFile(
      join(project, "package.json"),
      JSON.stringify({
        private: true,
        type: "module",
        dependencies: { ...files, ...catalog },
        pnpm: { overrides: { ...files, "better-sqlite3": "npm:libsql@0.5.29" } }
      })
    )
    await writeFile(
      join(project, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          target: "ES2022",
          module: "NodeNext",
          strict: true,
          exactOptionalPropertyTypes: true,
          outDir: "out",
          types: ["node"]
        },
        files: ["index.ts"]
      })
    )
    await writeFile(join(project, "index.ts"), await readFile(join(root, "examples/list-tasks/index.ts"), "utf8"))
    await pnpm(project, ["install", "--prefer-offline", "--ignore-scripts", "--ignore-workspace"])
    await run(join(project, "node_modules/.bin/tsc"), ["-p", project])

    const { stdout } = await run(process.execPath, [join(project, "out/index.js")], { cwd: project })
    assert.include(stdout, "2 tasks")
    const version = await run(join(project, "node_modules/.bin/heddle-server"), ["--version"])
    assert.match(version.stdout, /^\d+\.\d+\.\d+/)
  })
})

const versions = async (names: ReadonlyArray<string>): Promise<Record<string, string>> => {
  const workspace = await readFile(join(root, "pnpm-workspace.yaml"), "utf8")
  return Object.fromEntries(
    names.map((name) => {
      const found = new RegExp(`^  "?${name}"?: (\\S+)$`, "m").exec(workspace)?.[1]
      assert.isDefined(found, `${name} is not in the catalog`)
      return [name, found]
    })
  )
}

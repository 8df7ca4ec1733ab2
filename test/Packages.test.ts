import { execFile, spawn } from "node:child_process"
import { copyFile, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { promisify, stripVTControlCharacters } from "node:util"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { publint } from "publint"
import { pnpmCommand } from "./Pnpm.ts"

const run = promisify(execFile)
const root = fileURLToPath(new URL("..", import.meta.url))
const published = [
  "core",
  "oauth",
  "acp",
  "artifacts",
  "server",
  "assistant",
  "discord-emulator",
  "conformance"
] as const

/** The packages bring no agent. */
const demoAgent = `${process.execPath} ${join(root, "packages/demo-agent/dist/bin/main.js")}`

const pnpm = (cwd: string, args: ReadonlyArray<string>) => {
  const [file, first] = pnpmCommand()
  return run(file, [...first, ...args], { cwd, env: { ...process.env, npm_config_verify_deps_before_run: "false" } })
}

describe("the packed packages", { timeout: 180_000 }, () => {
  let folder = ""
  const tarballs = new Map<string, string>()

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "heddle-pack-"))
    const target = join(folder, "packed")
    await mkdir(target)
    const filters = published.map((name) => `--filter=@heddle/${name}`)
    await pnpm(root, [...filters, "pack", "--pack-destination", target])
    const files = await readdir(target)
    for (const name of published) {
      const file = files.find((file) => file.replace(/-\d[^/]*$/, "") === `heddle-${name}`)
      assert.isDefined(file, `packing ${name} made no tarball`)
      tarballs.set(name, join(target, file))
    }
  }, 120_000)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  for (const name of published) {
    it(`${name} passes publint and attw`, async () => {
      const tarball = await readFile(tarballs.get(name)!)
      const { messages } = await publint({ pack: { tarball: new Uint8Array(tarball).buffer }, strict: true })
      assert.deepEqual(messages, [])
      const analysis = await checkPackage(createPackageFromTarballData(tarball))
      assert(analysis.types !== false, `${name} has no types`)
      // The packages are ES modules and need a resolver that knows exports.
      const wrong = analysis.problems.filter(
        (problem) => !("resolutionKind" in problem && ["node10", "node16-cjs"].includes(problem.resolutionKind))
      )
      assert.deepEqual(wrong, [])
    })
  }

  it("install into an empty project, in which the examples type-check and run", async () => {
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
        files: ["tasks.ts", "promise.ts"]
      })
    )
    for (const example of ["tasks", "promise"]) {
      await copyFile(join(root, "examples", example, "index.ts"), join(project, `${example}.ts`))
    }
    await pnpm(project, ["install", "--prefer-offline", "--ignore-scripts", "--ignore-workspace"])
    await run(join(project, "node_modules/.bin/tsc"), ["-p", project])

    const heddleServer = join(project, "node_modules/.bin/heddle-server")
    const server = (...args: ReadonlyArray<string>) =>
      run(heddleServer, [...args, "--data", join(folder, "data"), "--json"])
    const app = JSON.parse(
      (await server("app", "create", "--name", "Example", "--redirect-uri", "http://127.0.0.1/cb")).stdout
    )
    const user = JSON.parse((await server("user", "create", "--name", "ada")).stdout)
    const scopes = ["--scope", "user.task.readable", "--scope", "user.task.invokable"]
    const grant = JSON.parse(
      (await server("grant", "create", "--app", app.client_id, "--user", user.user_id, ...scopes)).stdout
    )
    const lacking = await run(heddleServer, ["serve", "--data", join(folder, "data")]).catch((error) => error)
    assert.strictEqual(lacking.code, 2)
    assert.match(lacking.stderr, /^--agent: it is missing\. Name an agent .*, like --agent "gemini --acp"\.\n$/)
    const parts = await readdir(join(project, "node_modules/.pnpm"))
    assert.deepEqual(
      parts.filter((name) => /^(vega|@resvg|csv-parse|dejavu|@expo-google-fonts|@heddle\+demo-agent)/.test(name)),
      []
    )
    const service = spawn(heddleServer, ["serve", "--agent", demoAgent, "--port", "0", "--data", join(folder, "data")])
    try {
      const ready = await new Promise<string>((resolve, reject) => {
        createInterface({ input: service.stdout }).once("line", resolve)
        service.once("close", (status) => reject(new Error(`the service ended with ${status}`)))
      })
      const { url } = JSON.parse(ready)
      const example = (name: string) =>
        run(process.execPath, [join(project, `out/${name}.js`)], {
          cwd: project,
          env: { ...process.env, HEDDLE_BASE_URL: url, HEDDLE_ACCESS_TOKEN: grant.access_token }
        })
      assert.include((await example("tasks")).stdout, "2 tasks: Second, How long is this sentence?")
      const { stdout } = await example("promise")
      assert.lengthOf(stdout.match(/^[a-z]+: (?:How long is this sentence\?|Second)$/gm) ?? [], 3, stdout)
    } finally {
      service.kill("SIGTERM")
    }
  })

  it("the emulator tests the bot of another project with Vitest and stays below 10 MB", async () => {
    const project = join(folder, "bot")
    await mkdir(project)
    const emulator = `file:${tarballs.get("discord-emulator")}`
    await writeFile(
      join(project, "package.json"),
      JSON.stringify({
        private: true,
        type: "module",
        dependencies: await versions(["discord.js"]),
        devDependencies: { "@heddle/discord-emulator": emulator, ...(await versions(["vitest"])) }
      })
    )
    for (const file of ["bot.ts", "bot.test.ts"])
      await copyFile(join(root, "examples/discord-bot", file), join(project, file))
    await pnpm(project, ["install", "--prefer-offline", "--ignore-scripts", "--ignore-workspace"])
    const { stdout } = await run(join(project, "node_modules/.bin/vitest"), ["run"], { cwd: project })
    assert.match(stripVTControlCharacters(stdout), /Tests +3 passed/)

    const installed = await realpath(join(project, "node_modules/@heddle/discord-emulator"))
    const beside = join(installed, "../..")
    const dependencies = (await readdir(beside)).filter((name) => !name.startsWith("@") && !name.startsWith("."))
    assert.sameMembers(dependencies, ["discord-api-types", "ws"])
    const folders = [installed, ...(await Promise.all(dependencies.map((name) => realpath(join(beside, name)))))]
    const sizes = await Promise.all(folders.map(sizeOf))
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    assert.isAbove(bytes, 1_000_000)
    assert.isBelow(bytes, 10_000_000)
  })
})

/** The bytes of a package, without fonts. */
const sizeOf = async (path: string): Promise<number> => {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith(".woff2"))
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

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

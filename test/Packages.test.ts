import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { copyFile, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { promisify, stripVTControlCharacters } from "node:util"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { publint } from "publint"
import * as NpmProject from "./NpmProject.ts"
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
    it(`${name} passes publint and attw, and has its licence`, async () => {
      const tarball = await readFile(tarballs.get(name)!)
      const { stdout } = await run("tar", ["-xzOf", tarballs.get(name)!, "package/LICENSE"])
      assert.strictEqual(stdout, await readFile(join(root, "LICENSE"), "utf8"))
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

  describe("installed", () => {
    const readmes = new Map<string, string>()
    const examplesOf = (name: (typeof published)[number]) => NpmProject.blocks(readmes.get(name)!, "ts")
    /** All READMEs' packages in one project of npm, where nothing compiles. */
    let together: NpmProject.NpmProject
    /** A project of pnpm: one README's packages alone, all packages with a compiler, or those of a bot. */
    const apart = (name: (typeof published)[number] | "all" | "bot") => join(folder, "apart", name)
    const data = () => join(folder, "service")
    let token = ""

    beforeAll(async () => {
      for (const name of published) readmes.set(name, await NpmProject.readmeOf(join(root, "packages", name)))
      const packed = Object.fromEntries([...tarballs].map(([name, file]) => [`@heddle/${name}`, `file:${file}`]))
      const effect = ["effect", "@effect/platform", "@effect/platform-node", "@effect/sql"]
      const projects = {
        ...Object.fromEntries([...readmes].map(([name, readme]) => [name, NpmProject.dependenciesOf(readme)])),
        all: { ...packed, ...(await versions([...effect, "typescript", "@types/node"])) },
        bot: { "@heddle/discord-emulator": "*", ...(await versions(["discord.js", "vitest"])) }
      }
      const overrides = { ...packed, ...(await versions(["better-sqlite3"])) }
      await NpmProject.makeApart(join(folder, "apart"), projects, overrides)
      const files = new Map([...tarballs].map(([name, tarball]) => [`@heddle/${name}`, tarball]))
      together = await NpmProject.make(join(folder, "npm"), [...readmes.values()], files)
      token = await createGrant(apart("server"), data())
    }, 180_000)

    it("let the examples type-check and run, and bring nothing of the demo agent", async () => {
      const project = apart("all")
      await writeFile(join(project, "tsconfig.json"), JSON.stringify(tsconfig))
      for (const example of ["tasks", "promise"]) {
        await copyFile(join(root, "examples", example, "index.ts"), join(project, `${example}.ts`))
      }
      await writeFile(join(project, "server.ts"), examplesOf("server")[0]!)
      await run(join(project, "node_modules/.bin/tsc"), ["-p", project])

      const parts = await readdir(join(folder, "apart/node_modules/.pnpm"))
      assert.isNotEmpty(parts)
      assert.deepEqual(
        parts.filter((name) => /^(vega|@resvg|csv-parse|dejavu|@expo-google-fonts|@heddle\+demo-agent)/.test(name)),
        []
      )
      const heddleServer = join(project, "node_modules/.bin/heddle-server")
      const lacking = await run(heddleServer, ["serve", "--data", data()]).catch((error) => error)
      assert.strictEqual(lacking.code, 2)
      assert.match(lacking.stderr, /^--agent: it is missing\. Name an agent .*, like --agent "gemini --acp"\.\n$/)
      const service = await serve(project, data())
      try {
        const env = { ...process.env, HEDDLE_BASE_URL: service.url, HEDDLE_ACCESS_TOKEN: token }
        const example = (name: string) =>
          run(process.execPath, [join(project, `out/${name}.js`)], { cwd: project, env })
        // The examples of the READMEs, which run later, add tasks of their own.
        assert.include((await example("tasks")).stdout, "2 tasks: Second, How long is this sentence?")
        const { stdout } = await example("promise")
        assert.lengthOf(stdout.match(/^[a-z]+: (?:How long is this sentence\?|Second)$/gm) ?? [], 3, stdout)
      } finally {
        await service.stop()
      }
    })

    describe("as their READMEs say", () => {
      let service: Awaited<ReturnType<typeof serve>>
      const alone = (name: (typeof published)[number]) => ({ ...together, folder: apart(name) })
      const connected = () => ({ "https://api.example.com": service.url, "an access token": token })

      // npm's installation goes on with the data of pnpm's.
      beforeAll(async () => {
        service = await serve(together.folder, data(), together.env)
      })
      afterAll(() => service.stop())

      it("server brings the driver of the tests and no other, and runs its README's example", async () => {
        const lock = JSON.parse(await readFile(join(together.folder, "package-lock.json"), "utf8"))
        const drivers = Object.entries<{ name?: string }>(lock.packages).filter(([path]) =>
          path.endsWith("better-sqlite3")
        )
        assert.deepEqual(
          drivers.map(([path, { name }]) => [path, name]),
          [["node_modules/better-sqlite3", "libsql"]]
        )
        const command = JSON.stringify(demoAgent.split(" "))
        // Its example imports the Effect that the service depends on, which npm permits and pnpm does not.
        const printed = await NpmProject.runExample(together, examplesOf("server")[0]!, {
          '["gemini", "--acp"]': command
        })
        assert.match(printed, /127\.0\.0\.1:\d+ knows app_/)
      })

      it("core runs its README's examples", async () => {
        for (const example of examplesOf("core").slice(0, 2)) {
          const printed = await NpmProject.runExample(alone("core"), example, connected())
          assert.match(printed, /^http\S+\/sandboxes\/\S+\n$/)
        }
      })

      it("oauth runs its README's example", async () => {
        const begin =
          'Effect.runPromise(Effect.provide(begin("ada"), live)).then(({ url }) => console.log(String(url)))'
        const printed = await NpmProject.runExample(alone("oauth"), `${examplesOf("oauth")[0]!}\n${begin}`)
        assert.match(printed, /^https:\/\/api\.example\.com\/openapi\/v2\/authorize\?\S+\n$/)
      })

      it("acp runs its README's example", async () => {
        const task = await heldTask(service.url, token)
        const values = { "https://host/acp": task.link, '"…"': JSON.stringify(task.token), "task-1": task.task_id }
        assert.match(await NpmProject.runExample(alone("acp"), examplesOf("acp")[0]!, values), /end_turn/)
      })

      it("artifacts runs its README's example", async () => {
        const prompt = { "Draw a chart of the last release": "How long is this sentence?" }
        await NpmProject.runExample(alone("artifacts"), examplesOf("artifacts")[0]!, { ...connected(), ...prompt })
      })

      it("assistant, conformance and discord-emulator run as programs", async () => {
        const programs = {
          assistant: ["heddle-assistant", "--version"],
          conformance: ["heddle-conformance", "--list"],
          "discord-emulator": ["discord-emulator", "--version"]
        } as const
        for (const name of ["assistant", "conformance", "discord-emulator"] as const)
          // pnpm starts programs with tools of a shell.
          for (const { env, folder } of [{ ...alone(name), env: process.env }, together]) {
            const [program, argument] = programs[name]
            const { stdout } = await run(join(folder, "node_modules/.bin", program), [argument], { env })
            assert.isNotEmpty(stdout)
          }
      })
    })

    it("the emulator tests the bot of another project with Vitest and stays below 10 MB", async () => {
      const project = apart("bot")
      for (const file of ["bot.ts", "bot.test.ts"])
        await copyFile(join(root, "examples/discord-bot", file), join(project, file))
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
})

const tsconfig = {
  compilerOptions: {
    target: "ES2022",
    module: "NodeNext",
    strict: true,
    exactOptionalPropertyTypes: true,
    outDir: "out",
    types: ["node"]
  },
  files: ["tasks.ts", "promise.ts", "server.ts"]
}

/** Creates an application and a person with the installed service; gives a token of theirs. */
const createGrant = async (project: string, data: string): Promise<string> => {
  const create = async (...args: ReadonlyArray<string>) => {
    const program = join(project, "node_modules/.bin/heddle-server")
    return JSON.parse((await run(program, [...args, "--data", data, "--json"])).stdout)
  }
  const app = await create("app", "create", "--name", "Example", "--redirect-uri", "http://127.0.0.1/cb")
  const user = await create("user", "create", "--name", "ada", "--credits", "1000")
  const scopes = ["--scope", "user.task.readable", "--scope", "user.task.invokable"]
  const grant = await create("grant", "create", "--app", app.client_id, "--user", user.user_id, ...scopes)
  return grant.access_token
}

/** Starts the installed service. */
const serve = async (project: string, data: string, env?: NodeJS.ProcessEnv) => {
  const program = join(project, "node_modules/.bin/heddle-server")
  const service = spawn(program, ["serve", "--agent", demoAgent, "--port", "0", "--data", data], { env })
  const closed = once(service, "close")
  const ready = await new Promise<string>((resolve, reject) => {
    createInterface({ input: service.stdout }).once("line", resolve)
    service.once("close", (status) => reject(new Error(`the service ended with ${status}`)))
  })
  const stop = async () => {
    service.kill("SIGTERM")
    await closed
  }
  return { url: String(JSON.parse(ready).url), stop }
}

/** Creates a task whose prompt waits for a client, and gives its channel. */
const heldTask = async (url: string, accessToken: string) => {
  const call = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${accessToken}`, "content-type": "application/json" }
    const init = body === undefined ? { headers } : { headers, method: "POST", body: JSON.stringify(body) }
    return (await fetch(`${url}/openapi/v2${path}`, init)).json() as Promise<Record<string, string>>
  }
  let task = await call("/tasks", { prompt: "later", initial_prompt: "hold" })
  while (task["token"] === undefined) task = await call(`/tasks/${task["task_id"]}`)
  return { link: task["link"]!, task_id: task["task_id"]!, token: task["token"] }
}

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

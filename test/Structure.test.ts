import { spawn } from "node:child_process"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"

const script = fileURLToPath(new URL("../scripts/structure.mjs", import.meta.url))

let home = ""
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "heddle-structure-"))
})
afterAll(() => rm(home, { recursive: true, force: true }))

/** Runs the check on a repository of these files. */
const check = async (files: Readonly<Record<string, string>>) => {
  const root = await mkdtemp(join(home, "repository-"))
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  const child = spawn(process.execPath, [script, root], { stdio: ["ignore", "pipe", "inherit"] })
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  const output = await text(child.stdout)
  return { output, status: await ended }
}

const lines = (count: number) => "// line\n".repeat(count)

it("a repository that keeps every rule passes in silence", async () => {
  const { output, status } = await check({
    "apps/bot/src/main.ts": `import { turn } from "./turn/Turn.ts"\nturn()\n${lines(300)}`,
    "apps/bot/src/turn/Turn.ts": 'import { post } from "../model/Post.ts"\nexport const turn = () => post\n',
    "apps/bot/src/model/Post.ts": 'import { cut } from "../text/Cut.ts"\nexport const post = cut\n',
    "apps/bot/src/text/Cut.ts": `export const cut = [\n${"  1,\n".repeat(118)}]\n`,
    "apps/bot/test/Turn.test.ts": `import { turn } from "../src/turn/Turn.ts"\nturn()\n${lines(500)}`
  })
  assert.strictEqual(output, "")
  assert.strictEqual(status, 0)
})

it("a circle of imports fails, also of types, re-exports, import calls and a package's own name, outside of src too", async () => {
  const { output, status } = await check({
    "packages/core/package.json": '{"name":"@heddle/core","exports":{"./*":{"@heddle/source":"./src/*.ts"}}}',
    "packages/core/src/A.ts": 'import type { B } from "./B.ts"\nexport type A = B\n',
    "packages/core/src/B.ts": 'export * from "./C.ts"\nexport type B = 1\n',
    "packages/core/src/C.ts": 'export const c = () => import("@heddle/core/A")\n',
    "scripts/one.mjs": 'import "./two.mjs"\n',
    "scripts/two.mjs": 'import "./one.mjs"\n',
    "packages/core/test/Own.test.ts": 'import "./Own.test.ts"\n',
    "packages/core/bench/Alone.ts": 'import "../src/A.ts"\n',
    "packages/acp/src/generated/One.ts": 'export type Two = import("./Two.mts").Two\n',
    "packages/acp/src/generated/Two.mts": 'import type { One } from "./One.ts"\nexport type Two = One\n',
    "apps/docs/.vitepress/config.ts": 'import theme = require("./theme.ts")\nexport default theme\n',
    "apps/docs/.vitepress/theme.ts": "export default import(/* later */ './config.ts')\n",
    "packages/core/test/Required.test.ts": "module.require\nrequire('./Required.test.ts')\n"
  })
  assert.strictEqual(status, 1)
  assert.match(output, /^broken circles: 6$/m)
  for (const circle of [
    "packages/core/src/A.ts → packages/core/src/B.ts → packages/core/src/C.ts → packages/core/src/A.ts",
    "packages/core/test/Own.test.ts → packages/core/test/Own.test.ts",
    "packages/core/test/Required.test.ts → packages/core/test/Required.test.ts",
    "scripts/one.mjs → scripts/two.mjs → scripts/one.mjs",
    "packages/acp/src/generated/One.ts → packages/acp/src/generated/Two.mts → packages/acp/src/generated/One.ts",
    "apps/docs/.vitepress/config.ts → apps/docs/.vitepress/theme.ts → apps/docs/.vitepress/config.ts"
  ]) {
    assert.include(output, circle)
  }
  assert.notInclude(output, "Alone")
})

it("a folder with 26 files fails, also of tests, scripts and generated code", async () => {
  const full = (folder: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${folder}/F${index}.ts`, ""]))
  const { output, status } = await check({
    ...full("packages/core/src", 26),
    ...full("packages/core/src/api", 25),
    ...full("packages/discord-emulator/page", 27),
    ...full("packages/core/test", 25),
    ...full("packages/core/test/support", 26),
    ...full("packages/acp/src/generated", 26),
    ...full("scripts", 20),
    ...Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`scripts/F${index}.mjs`, ""]))
  })
  assert.strictEqual(status, 1)
  assert.strictEqual(
    output,
    [
      "broken folders: 5",
      "  packages/acp/src/generated has 26 files",
      "  packages/core/src has 26 files",
      "  packages/core/test/support has 26 files",
      "  packages/discord-emulator/page has 27 files",
      "  scripts has 26 files\n"
    ].join("\n")
  )
})

it("a room of the bot that imports upwards or beside itself fails, and so does a folder that is no room", async () => {
  const from = (path: string) => `import "${path}"\n`
  const { output, status } = await check({
    "apps/bot/src/Bot.ts": "",
    "apps/bot/src/local/Stack.ts": from("../Bot.ts"),
    "apps/bot/src/commands/Task.ts": "",
    "apps/bot/src/intake/Inbox.ts": from("../commands/Task.ts"),
    "apps/bot/src/store/Rows.ts": from("../access/Policy.ts"),
    "apps/bot/src/access/Policy.ts": "",
    "apps/bot/src/text/Cut.ts": from("../model/Post.ts"),
    "apps/bot/src/model/Post.ts": "",
    "apps/bot/src/concurrency/Queue.ts": from("../text/Cut.ts"),
    "apps/bot/src/thread/Lanes.ts": ""
  })
  assert.strictEqual(status, 1)
  assert.deepStrictEqual(output.trim().split("\n"), [
    "broken rooms: 6",
    "  apps/bot/src/thread is not one of the rooms",
    "  apps/bot/src/concurrency/Queue.ts imports apps/bot/src/text/Cut.ts: concurrency may not import text",
    "  apps/bot/src/intake/Inbox.ts imports apps/bot/src/commands/Task.ts: intake may not import commands",
    "  apps/bot/src/local/Stack.ts imports apps/bot/src/Bot.ts: local may not import programs",
    "  apps/bot/src/store/Rows.ts imports apps/bot/src/access/Policy.ts: store may not import access",
    "  apps/bot/src/text/Cut.ts imports apps/bot/src/model/Post.ts: text may not import model"
  ])
})

it("an import that is no string literal fails except in a script that nothing imports, and so does require in src", async () => {
  const computed = "export const load = (name: string) => import(`./${name}.ts`)\n"
  const { output, status } = await check({
    "packages/core/src/Load.ts": computed,
    "packages/core/src/Plain.ts": "export const load = () => import(`./Load.ts`)\n",
    "packages/core/test/Load.test.ts": computed,
    "packages/core/src/Version.ts":
      'import { createRequire } from "node:module"\nexport const { version } = createRequire(import.meta.url)("../package.json")\n',
    "packages/core/src/Hidden.ts":
      'import * as Module from "module"\nexport const load = Module["createRequire"]("/")\n',
    "packages/core/src/Builtin.ts": 'export const module = process.getBuiltinModule("node:module")\n',
    "packages/core/src/Old.cts": 'const old = require("./Load.ts")\n',
    "packages/core/test/Version.test.ts": 'require("../package.json")\n',
    "scripts/run.mjs": "import './load.mjs'\nawait import(process.argv[2])\n",
    "scripts/load.mjs": "export const load = (name) => import(name)\n"
  })
  assert.strictEqual(status, 1)
  assert.deepStrictEqual(output.trim().split("\n"), [
    "broken imports: 9",
    "  packages/core/src/Builtin.ts uses node:module: write import or import.meta.resolve",
    "  packages/core/src/Hidden.ts uses node:module: write import or import.meta.resolve",
    "  packages/core/src/Load.ts has 1 imports whose specifier is no string literal",
    "  packages/core/src/Old.cts uses require: write import or import.meta.resolve",
    "  packages/core/src/Plain.ts has 1 imports whose specifier is no string literal",
    "  packages/core/src/Version.ts uses createRequire: write import or import.meta.resolve",
    "  packages/core/src/Version.ts uses node:module: write import or import.meta.resolve",
    "  packages/core/test/Load.test.ts has 1 imports whose specifier is no string literal",
    "  scripts/load.mjs has 1 imports whose specifier is no string literal"
  ])
})

it("product code that imports a package upwards, a test or a package without a row fails; tests import all", async () => {
  const from = (path: string) => `import "${path}"\n`
  const { output, status } = await check({
    "packages/core/src/User.ts": "",
    "packages/core/test/support/Users.ts": from("@heddle/server"),
    "packages/oauth/src/Tokens.ts": `${from("@heddle/core/User")}${from("@heddle/oauth/Session")}`,
    "packages/core/src/Users.ts": from("../../oauth/src/Tokens.ts"),
    "packages/core/src/Task.ts": from("../test/support/Users.ts"),
    "packages/server/src/tasks/Tasks.ts": `${from("@heddle/conformance")}${from("@heddle/core")}`,
    "packages/server/src/Agent.ts":
      'import.meta.resolve("@heddle/demo-agent/package.json")\nimport("@heddle/demo-agent")\n',
    "apps/bot/src/text/Cut.ts": `${from("@heddle/server")}${from("@heddle/core")}`,
    "apps/bot/src/local/Stack.ts": `${from("@heddle/server/Server")}${from("@heddle/discord-emulator")}${from("@heddle/acp")}`,
    "packages/fresh/src/index.ts": ""
  })
  assert.strictEqual(status, 1)
  assert.deepStrictEqual(output.trim().split("\n"), [
    "broken packages: 6",
    "  apps/bot/src/text/Cut.ts may not import @heddle/server",
    "  packages/core/src/Task.ts imports packages/core/test/support/Users.ts, which is not in src",
    "  packages/core/src/Users.ts may not import @heddle/oauth",
    "  packages/fresh/src/index.ts: packages/fresh has no row of packages that it may import",
    "  packages/server/src/Agent.ts may not import @heddle/demo-agent",
    "  packages/server/src/tasks/Tasks.ts may not import @heddle/conformance"
  ])
})

it("a library of one folder of the bot or the server fails in every other folder", async () => {
  const { output, status } = await check({
    "apps/bot/src/discord/Client.ts": 'import { REST } from "discord.js"\n',
    "apps/bot/src/commands/Task.ts": 'import type { REST } from "discord.js"\n',
    "apps/bot/src/store/Rows.ts": 'import * as SqlClient from "@effect/sql/SqlClient"\n',
    "apps/bot/src/turn/Turn.ts": 'import * as SqlClient from "@effect/sql/SqlClient"\n',
    "apps/bot/src/local/Files.ts": 'import Sqlite from "better-sqlite3"\n',
    "packages/server/src/Rows.ts": 'import * as SqlClient from "@effect/sql/SqlClient"\n',
    "packages/server/src/sql/Lock.ts": 'import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"\n',
    "packages/server/src/tasks/Lock.ts": 'import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"\n',
    "packages/server/src/tasks/Open.ts": 'import Sqlite from "libsql"\n'
  })
  assert.strictEqual(status, 1)
  assert.deepStrictEqual(output.trim().split("\n"), [
    "broken libraries: 5",
    "  apps/bot/src/commands/Task.ts imports discord.js: only discord may",
    "  apps/bot/src/local/Files.ts imports better-sqlite3: only store may",
    "  apps/bot/src/turn/Turn.ts imports @effect/sql/SqlClient: only store may",
    "  packages/server/src/tasks/Lock.ts imports @effect/sql-sqlite-node/SqliteClient: only sql may",
    "  packages/server/src/tasks/Open.ts imports libsql: only sql may"
  ])
})

it("a definition above 120 lines and a file above 400 lines fail", async () => {
  const body = "  call()\n".repeat(118)
  const { output, status } = await check({
    "packages/core/src/Long.ts": [
      `const inside = () => {\n${body}}\n`,
      `/** Documented. */\nexport const long = (\n  parameter: number\n): void => {\n${body}}\n`,
      "export class Short {}\n"
    ].join("\n"),
    "packages/core/src/Full.ts": lines(401),
    "packages/core/src/generated/Codes.ts": lines(900),
    "packages/core/test/Long.test.ts": lines(900)
  })
  assert.strictEqual(status, 1)
  assert.strictEqual(
    output,
    [
      "broken definitions: 1\n  packages/core/src/Long.ts long has 122 lines",
      "broken files: 1\n  packages/core/src/Full.ts has 401 lines\n"
    ].join("\n")
  )
})

import { assert, describe, it } from "@effect/vitest"
import * as AgentFiles from "@heddle/server/sandbox/agent/AgentFiles"
import { demoAgent } from "@heddle/server/config/AgentOptions"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { afterEach, beforeEach } from "vitest"
import { temporary } from "../support/service.ts"

describe("the files that an agent's command needs", () => {
  let home: string
  const before = process.env["HOME"]
  beforeEach(() => {
    home = process.env["HOME"] = Fs.realpathSync(temporary())
  })
  afterEach(() => {
    process.env["HOME"] = before
  })

  const put = (file: string, text = "") => {
    Fs.mkdirSync(Path.dirname(`${home}/${file}`), { recursive: true })
    Fs.writeFileSync(`${home}/${file}`, text, { mode: 0o755 })
    return `${home}/${file}`
  }
  const needed = (...command: ReadonlyArray<string>) =>
    AgentFiles.requiredPaths(command, `${home}/.node/bin:/usr/bin:/bin`).map((path) => Path.relative(home, path))

  it("include none for a system program", () => {
    assert.deepStrictEqual(needed("/bin/sh", "-c", ":"), [])
  })

  it("include an installation with its interpreter, and no other file of a home folder", () => {
    put(".ssh/id_ed25519")
    put(".local/share/keyrings/login")
    put(".local/lib/python3/site-packages/agent.py")
    put(".node/bin/node")
    const tool = put(".local/bin/tool", "#!/usr/bin/env -S node --no-warnings\n")
    assert.sameMembers(needed(tool), [".local/bin", ".local/lib", ".node/bin"])
  })

  it("include a package with all its imports, through links", () => {
    put("store/lib/node_modules/agent/package.json", '{ "name": "agent" }')
    put("store/lib/node_modules/agent/cli.js", "#!/bin/sh\n")
    put("work/packages/mine/package.json", '{ "name": "mine" }')
    put("work/packages/other/package.json", '{ "name": "other" }')
    put("work/node_modules/dependency/index.js")
    put("work/.env", "SECRET=1")
    const script = put("work/packages/mine/dist/main.js")
    put("work/packages/mine/dist/package.json", '{ "type": "module" }')
    Fs.mkdirSync(`${home}/work/packages/mine/node_modules/@scope`, { recursive: true })
    Fs.symlinkSync("../../../other", `${home}/work/packages/mine/node_modules/@scope/other`)
    assert.sameMembers(needed("/bin/sh", script), ["work/packages/mine", "work/node_modules", "work/packages/other"])
    Fs.mkdirSync(`${home}/.n/bin`, { recursive: true })
    Fs.symlinkSync("../../store/lib/node_modules/agent/cli.js", `${home}/.n/bin/agent`)
    assert.sameMembers(needed(`${home}/.n/bin/agent`), [".n/bin", "store/lib/node_modules"])
    const own = put("work/packages/mine/bin/mine", "#!/bin/sh\n")
    assert.include(needed(own), "work/packages/mine")
    const local = put("work/node_modules/.bin/local", "#!/bin/sh\n")
    assert.deepStrictEqual(needed(local), ["work/node_modules"])
    assert.deepStrictEqual(needed(put("work/.venv/bin/agent", "#!/bin/sh\n")), ["work/.venv/bin"])
  })

  it("are the file alone in a folder with personal files", () => {
    put("package.json", '{ "name": "everything" }')
    const script = put("agent.sh", "#!/bin/sh\n")
    assert.deepStrictEqual(needed(script), ["agent.sh"])
    assert.deepStrictEqual(needed("/bin/sh", home, "/"), [])
  })

  it("are the file alone when it belongs to no package", () => {
    put("agents/.env", "SECRET=1")
    put("agents/service/master.key")
    put("agents/package.json", '{ "type": "module" }')
    assert.sameMembers(needed("/bin/sh", put("agents/agent.sh")), ["agents/agent.sh"])
    assert.sameMembers(needed("/bin/sh", put("agents/agent.mjs")), ["agents/agent.mjs"])
    assert.sameMembers(needed("/bin/sh", put("agents/agent.js")), ["agents/agent.js", "agents/package.json"])
  })

  it("exclude the data folder of a service, its parents and its subfolders", () => {
    put("holds/package.json", '{ "name": "holds" }')
    put("holds/data/master.key")
    put("holds/node_modules/dependency/index.js")
    assert.sameMembers(needed("/bin/sh", put("holds/main.js")), ["holds/main.js", "holds/node_modules"])
    put("data/server.sqlite")
    put("data/agent/package.json", '{ "name": "inside" }')
    assert.sameMembers(needed("/bin/sh", put("data/agent/main.js")), ["data/agent/main.js"])
    assert.deepStrictEqual(needed("/bin/sh", `${home}/data`, `${home}/data/agent`, `${home}/holds`), [])
  })

  it("exclude most of the checkout for the demo agent", () => {
    const root = Path.resolve(import.meta.dirname, "../../../../..")
    const paths = AgentFiles.requiredPaths(demoAgent() ?? [], "/usr/bin:/bin").map((path) => Path.relative(root, path))
    assert.includeMembers([...paths], ["packages/demo-agent", "node_modules"])
    assert.notIncludeMembers([...paths], ["", "packages", "apps"])
  })
})

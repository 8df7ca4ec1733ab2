import { assert, describe, it } from "@effect/vitest"
import * as AgentSettings from "@heddle/server/config/AgentSettings"
import * as ResourceLimits from "@heddle/server/sandbox/agent/ResourceLimits"
import * as Bubblewrap from "@heddle/server/sandbox/agent/Bubblewrap"
import { execFileSync, spawn, spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Net from "node:net"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach, beforeAll } from "vitest"
import * as TestBubblewrap from "../support/bubblewrap.ts"
import { Client, type Loose } from "../support/client.ts"
import { agent, start, temporary, type Started } from "../support/service.ts"

const hostile = [process.execPath, fileURLToPath(new URL("../support/hostile.mjs", import.meta.url))]
const secret = "s3cret-of-the-service"
const problem = TestBubblewrap.problem()
if (problem !== undefined && process.env["HEDDLE_REQUIRE_BUBBLEWRAP"] === "1") {
  throw new Error(`bubblewrap does not work, but HEDDLE_REQUIRE_BUBBLEWRAP=1: ${problem}`)
}

/** Has the agent try one thing in a turn; gives the result. */
const attempt = async (client: Client, name: string, details: object = {}): Promise<Loose> => {
  const from = client.text.length
  const { result, error } = await client.prompt(`${name} ${JSON.stringify(details)}`)
  assert.isUndefined(error, error?.message)
  assert.strictEqual(result.stopReason, "end_turn")
  return JSON.parse(client.text.slice(from))
}

const listening = async () => {
  const server = Net.createServer((socket) => socket.end())
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { server, port: (server.address() as Net.AddressInfo).port }
}

/** Waits until a file that a process writes to all the time stops growing; fails if it goes on. */
const stopsGrowing = async (file: string) => {
  const size = () => Fs.statSync(file).size
  for (let patience = 50; patience > 0; patience--) {
    const before = size()
    await new Promise((resolve) => setTimeout(resolve, 200))
    if (size() === before) return
  }
  assert.fail("it goes on")
}

describe.skipIf(problem !== undefined)(
  `a hostile agent in bubblewrap${problem === undefined ? "" : ` (skipped: ${problem})`}`,
  () => {
    let service: Started
    let client: Client
    let other: Client
    beforeAll(async () => {
      process.env["HEDDLE_TEST_SECRET"] = secret
      service = await start({
        agentCommand: hostile,
        isolation: {
          mode: "bubblewrap",
          limits: { ...AgentSettings.defaults, memory: 512, fileSize: 8, files: 200 }
        }
      })
      client = await Client.loaded(await service.task())
      other = await Client.loaded(await service.task())
      Fs.writeFileSync(`${other.task.folder}/private.txt`, "of another task")
    })
    afterAll(() => service.stop())

    it("works in its own folder, where its files persist", async () => {
      assert.deepStrictEqual(await attempt(client, "write", { path: "artifacts/mine.txt" }), { done: true })
      assert.isTrue(Fs.existsSync(`${client.task.folder}/artifacts/mine.txt`))
    })

    it("sees no other task's folder, no database and no keys", async () => {
      const { dataDir } = service
      assert.strictEqual(
        (await attempt(client, "read", { path: `${other.task.folder}/private.txt` })).refused,
        "ENOENT"
      )
      assert.deepStrictEqual(await attempt(client, "list", { path: dataDir }), { done: ["sandboxes"] })
      assert.deepStrictEqual(await attempt(client, "list", { path: `${dataDir}/sandboxes` }), {
        done: [client.task.taskId]
      })
      for (const name of ["server.sqlite", "master.key"]) {
        assert.strictEqual((await attempt(client, "read", { path: `${dataDir}/${name}` })).refused, "ENOENT")
      }
      Fs.symlinkSync(`${other.task.folder}/private.txt`, `${client.task.folder}/link`)
      assert.strictEqual((await attempt(client, "read", { path: "link" })).refused, "ENOENT")
    })

    it("sees only the system's programs of the machine's files, and changes none", async () => {
      const file = `${temporary()}/note`
      Fs.writeFileSync(file, "of the operator")
      for (const path of [file, "/etc/shadow", "/proc/1/root/etc/shadow", `${process.env["HOME"]}/.profile`]) {
        assert.include(["ENOENT", "EACCES"], (await attempt(client, "read", { path })).refused, path)
      }
      for (const path of ["/etc/x", "/usr/x", "/x", "/dev/x", `${service.dataDir}/x`, `${hostile[1]}`]) {
        assert.strictEqual((await attempt(client, "write", { path })).refused, "EROFS", path)
      }
      const own = `/tmp/${client.task.taskId}`
      assert.deepStrictEqual(await attempt(client, "write", { path: own }), { done: true })
      assert.isFalse(Fs.existsSync(own))
    })

    it("finds no secret in any environment", async () => {
      const environment = (await attempt(client, "environment")).done
      assert.notInclude(JSON.stringify(environment), secret)
      const all = (await attempt(client, "environments")).done
      assert.include(all, "HOME=")
      assert.notInclude(all, secret)
    })

    it("opens no connection, not even to this machine", async () => {
      const { port, server } = await listening()
      try {
        assert.strictEqual((await attempt(client, "connect", { port })).refused, "ECONNREFUSED")
        assert.strictEqual((await attempt(client, "connect", { port: 53, host: "192.0.2.1" })).refused, "ENETUNREACH")
      } finally {
        server.close()
      }
    })

    it("sees no process of the machine, and cannot create a namespace", async () => {
      const { host, processes } = (await attempt(client, "who")).done
      assert.strictEqual(host, "sandbox")
      assert.isBelow(processes, 6)
      assert.strictEqual((await attempt(client, "signal", { pid: process.pid })).refused, "ESRCH")
      assert.isDefined((await attempt(client, "namespace")).refused)
    })

    it.skipIf(process.getuid?.() !== 0)("cannot change the kernel of a service that runs as root", async () => {
      // Opens only: what gets through must not change this machine.
      const open = (path: string) => attempt(client, "write", { path, bytes: 0 })
      assert.strictEqual((await open("/proc/sys/kernel/core_pattern")).refused, "EROFS")
      assert.isDefined((await open("/proc/sysrq-trigger")).refused)
      assert.isDefined((await attempt(client, "read", { path: "/proc/sys/kernel/core_pattern" })).done)
    })

    it("stays within the limits of memory, file size and open files, and continues", async () => {
      assert.deepStrictEqual(await attempt(client, "memory", { mebibytes: 64 }), { done: true })
      assert.isDefined((await attempt(client, "memory", { mebibytes: 1024 })).refused)
      assert.isDefined((await attempt(client, "write", { path: "big", bytes: 64 << 20 })).refused)
      assert.isAtMost(Fs.statSync(`${client.task.folder}/big`).size, 8 << 20)
      assert.strictEqual((await attempt(client, "files", { count: 1000 })).refused, "EMFILE")
    })

    it("leaves no process running, also hidden ones", async () => {
      const file = `${client.task.folder}/alive`
      assert.deepStrictEqual(await attempt(client, "outlive", { path: file }), { done: true })
      await client.until(() => Fs.existsSync(file) && Fs.statSync(file).size > 2, "the child")
      await service.administer(client.task.taskId, "archived")
      await stopsGrowing(file)
      assert.strictEqual((await attempt(other, "write", { path: "still-here" })).done, true)
    })
  }
)

describe.skipIf(problem !== undefined)(
  `agents in bubblewrap${problem === undefined ? "" : ` (skipped: ${problem})`}`,
  () => {
    let service: Started | undefined
    afterEach(() => service?.stop())

    it("reach the network where it is allowed", async () => {
      const { port, server } = await listening()
      try {
        service = await start({ agentCommand: hostile, isolation: { mode: "bubblewrap", network: true } })
        const client = await Client.loaded(await service.task())
        assert.strictEqual((await attempt(client, "connect", { port })).done, "connected")
      } finally {
        server.close()
      }
    })

    it("read the folders that the operator names", async () => {
      const folder = temporary()
      Fs.writeFileSync(`${folder}/note`, "for agents")
      service = await start({ agentCommand: hostile, isolation: { mode: "bubblewrap", readable: [folder] } })
      const client = await Client.loaded(await service.task())
      assert.strictEqual((await attempt(client, "read", { path: `${folder}/note` })).done, "for agents")
      assert.strictEqual((await attempt(client, "write", { path: `${folder}/note` })).refused, "EROFS")
    })

    it("find their own modules in any installation", async () => {
      const prefix = temporary()
      const module = `${prefix}/lib/node_modules/teller`
      Fs.mkdirSync(`${prefix}/bin`)
      Fs.mkdirSync(module, { recursive: true })
      Fs.mkdirSync(`${prefix}/lib/node_modules/words`)
      Fs.writeFileSync(`${module}/package.json`, '{ "name": "teller", "type": "module" }')
      Fs.writeFileSync(`${prefix}/lib/node_modules/words/package.json`, '{ "name": "words", "main": "index.js" }')
      Fs.writeFileSync(`${prefix}/lib/node_modules/words/index.js`, "")
      Fs.writeFileSync(
        `${module}/cli.js`,
        `#!/usr/bin/env node\nimport "words"\nprocess.argv.splice(2)\n${Fs.readFileSync(agent()[1] ?? "", "utf8")}`,
        { mode: 0o755 }
      )
      Fs.symlinkSync("../lib/node_modules/teller/cli.js", `${prefix}/bin/teller`)
      service = await start({ agentCommand: [`${prefix}/bin/teller`], isolation: { mode: "bubblewrap" } })
      const client = await Client.loaded(await service.task())
      assert.strictEqual((await client.prompt("echo hello")).result.stopReason, "end_turn")
      assert.strictEqual(client.text, "hello")
      await service.stop()
      Fs.mkdirSync(`${prefix}/mine`)
      Fs.symlinkSync("../bin/teller", `${prefix}/mine/linked`)
      service = await start({ agentCommand: [`${prefix}/mine/linked`], isolation: { mode: "bubblewrap" } })
      const linked = await Client.loaded(await service.task())
      assert.strictEqual((await linked.prompt("echo hello")).result.stopReason, "end_turn")
    })

    it("do not see other files beside their script", async () => {
      const folder = temporary()
      Fs.copyFileSync(hostile[1] ?? "", `${folder}/agent.mjs`)
      Fs.writeFileSync(`${folder}/.env`, "SECRET=1")
      service = await start({
        agentCommand: [process.execPath, `${folder}/agent.mjs`],
        isolation: { mode: "bubblewrap" }
      })
      const client = await Client.loaded(await service.task())
      assert.strictEqual((await attempt(client, "read", { path: `${folder}/.env` })).refused, "ENOENT")
    })

    it("appear by name in errors when they are not found or die", async () => {
      service = await start({ agentCommand: ["no-such-agent-anywhere"], isolation: { mode: "bubblewrap" } })
      const absent = await Client.loaded(await service.task())
      assert.match((await absent.prompt("echo")).error.message, /"no-such-agent-anywhere".*not found/)
      await service.stop()
      service = await start({ isolation: { mode: "bubblewrap" } })
      const dying = await Client.loaded(await service.task())
      assert.match((await dying.prompt("die")).error.message, /ended unexpectedly.*status 9.*out of memory/)
      assert.strictEqual((await dying.prompt("echo on")).result.stopReason, "end_turn")
    })

    it("end with the service, also when it is killed", async () => {
      const folder = temporary()
      const grow = `trap "" TERM HUP; while :; do echo . >>alive; sleep 0.02; done`
      const view = { folder, readable: [], hidden: [], network: false, namespaces: false }
      const command = Bubblewrap.wrapCommand("bwrap", ["/bin/sh", "-c", `(${grow}) & ${grow}`], view)
      const [, ...args] = command
      const starter = `require("child_process").spawn("bwrap", ${JSON.stringify(args)}, { detached: true }); setInterval(() => {}, 1000)`
      const parent = spawn(process.execPath, ["-e", starter], { stdio: "ignore" })
      const file = `${folder}/alive`
      while (!Fs.existsSync(file) || Fs.statSync(file).size < 4) await new Promise((resolve) => setTimeout(resolve, 20))
      parent.kill("SIGKILL")
      await stopsGrowing(file)
    })

    it("run a bubblewrap of their own only where it is allowed", () => {
      const run = (namespaces: boolean) => {
        const view = { folder: temporary(), readable: [], hidden: [], network: false, namespaces }
        const inner = "bwrap --unshare-all --ro-bind / / /bin/echo inside"
        const [program = "", ...args] = Bubblewrap.wrapCommand("bwrap", inner.split(" "), view)
        return spawnSync(program, args, { encoding: "utf8" })
      }
      assert.match(run(false).stderr, /bwrap: .*namespace/)
      assert.strictEqual(run(true).stdout, "inside\n")
    })

    it.skipIf(process.getuid?.() !== 0)("stay within the process limit, as a user other than root", () => {
      // Root's own processes are never counted, so this runs as the user "nobody".
      const folder = Fs.mkdtempSync("/var/tmp/heddle-nobody-")
      Fs.chownSync(folder, 65_534, 65_534)
      const run = (count: number) => {
        const forks = `n=0; while [ $n -lt ${count} ]; do sleep 1 & n=$((n+1)); done; echo all`
        const limits = { ...AgentSettings.defaults, processes: 40 }
        const view = { folder, readable: [], hidden: [], network: false, namespaces: false }
        const command = Bubblewrap.wrapCommand(
          "bwrap",
          ResourceLimits.withLimits(["/bin/sh", "-c", forks], limits, true),
          view
        )
        const nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", "--", ...command]
        try {
          return execFileSync("setpriv", nobody, { encoding: "utf8", stdio: "pipe" })
        } catch (error) {
          return String((error as { stderr: unknown }).stderr)
        }
      }
      try {
        assert.strictEqual(run(10), "all\n")
        assert.match(run(100), /fork/i)
      } finally {
        Fs.rmSync(folder, { recursive: true })
      }
    })
  }
)

describe("a machine without bubblewrap", () => {
  const before = process.env["PATH"]
  afterEach(() => {
    process.env["PATH"] = before
  })

  it("runs agents as processes, unless bubblewrap is required", async () => {
    process.env["PATH"] = temporary()
    const service = await start({ isolation: { mode: "auto" } })
    try {
      const client = await Client.loaded(await service.task())
      assert.strictEqual((await client.prompt("echo hello")).result.stopReason, "end_turn")
    } finally {
      await service.stop()
    }
    const refused = await start({ isolation: { mode: "bubblewrap" } }).catch(String)
    assert.match(String(refused), /--isolation: bubblewrap does not work on this machine \(it is not installed\)/)
  })
})

describe("a hostile agent without isolation", () => {
  let service: Started | undefined
  afterEach(() => service?.stop())

  it("still has its own environment and limits, and ends with its child processes", async () => {
    process.env["HEDDLE_TEST_SECRET"] = secret
    service = await start({
      agentCommand: hostile,
      isolation: { mode: "none", limits: { ...AgentSettings.defaults, memory: 512, fileSize: 8, files: 200 } }
    })
    const client = await Client.loaded(await service.task())
    assert.notInclude(JSON.stringify((await attempt(client, "environment")).done), secret)
    assert.isDefined((await attempt(client, "memory", { mebibytes: 1024 })).refused)
    assert.isDefined((await attempt(client, "write", { path: "big", bytes: 64 << 20 })).refused)
    assert.strictEqual((await attempt(client, "files", { count: 1000 })).refused, "EMFILE")
  })
})

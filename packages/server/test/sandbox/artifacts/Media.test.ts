import { assert, describe, it } from "@effect/vitest"
import * as MediaUrl from "@heddle/server/sandbox/artifacts/MediaUrl"
import { TaskId } from "@heddle/core/domain/Task"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { execFileSync } from "node:child_process"
import { createHash, createSecretKey } from "node:crypto"
import * as Fs from "node:fs"
import * as Http from "node:http"
import * as Path from "node:path"
import { artifactsOf } from "../support/artifacts.ts"
import type { Loose } from "../support/client.ts"
import * as Cutting from "../support/Cutting.ts"
import { temporary, type Task } from "../support/service.ts"
import { serviceOfSuite } from "../support/suite.ts"

/** The size of the large file in MiB: HEDDLE_ROUNDS=1024 by hand. */
const mebibytes = Number(process.env["HEDDLE_ROUNDS"] ?? 16)

interface Answer {
  readonly status: number | undefined
  readonly headers: Http.IncomingHttpHeaders
  readonly text: string
}

describe("media", () => {
  const { opened, service } = serviceOfSuite()
  const bearer = (task: Task) => ({ authorization: `Bearer ${task.token}` })
  const folderOf = (task: Task) => Path.join(task.folder, "artifacts")
  const entries = async (task: Task): Promise<ReadonlyArray<Loose>> => {
    const response = await fetch(`${task.sandboxUrl}/api/session/artifacts?type=media`, { headers: bearer(task) })
    return ((await response.json()) as Loose).data.artifacts
  }
  /** Sends a target as it stands: no client has normalised it. */
  const raw = (task: Task, path: string, headers: Record<string, string> = bearer(task), method = "GET") =>
    new Promise<Answer>((resolve, reject) => {
      const { hostname, port } = new URL(task.link)
      const request = Http.request(
        { hostname, port, path, headers, method, agent: false, timeout: 5000 },
        (response) => {
          let text = ""
          response.setEncoding("latin1").on("data", (piece) => (text += piece))
          response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }))
          response.on("error", reject)
        }
      )
      request.on("timeout", () => request.destroy(new Error(`no answer: ${path}`)))
      request.on("error", reject).end()
    })
  const prefixOf = (task: Task) => new URL(task.sandboxUrl).pathname

  it("refuses every path out of the folder without hanging", async () => {
    const client = await opened()
    const { task } = client
    const folder = folderOf(task)
    const secret = Path.join(temporary(), "secret.txt")
    Fs.writeFileSync(secret, "secret")
    Fs.mkdirSync(Path.join(Path.dirname(secret), "sub"))
    Fs.writeFileSync(Path.join(Path.dirname(secret), "sub", "in.txt"), "secret")
    await client.prompt(
      ["link.txt", "hard.txt", "pipe.txt", "folder.txt", "sub/in.txt", "ok.txt"]
        .map((name) => `write artifacts/${name} fine`)
        .concat("write private.txt secret")
        .join("\n")
    )
    assert.lengthOf(await entries(task), 6)
    const replace = (name: string, make: (path: string) => void) => {
      const path = Path.join(folder, name)
      Fs.rmSync(path, { recursive: true })
      make(path)
    }
    replace("link.txt", (path) => Fs.symlinkSync(secret, path))
    replace("hard.txt", (path) => Fs.linkSync(secret, path))
    replace("pipe.txt", (path) => execFileSync("sh", ["-c", 'mkfifo "$0"', path]))
    replace("folder.txt", (path) => Fs.mkdirSync(path))
    replace("sub", (path) => Fs.symlinkSync(Path.join(Path.dirname(secret), "sub"), path))
    const prefix = prefixOf(task)
    const attacks = [
      "artifacts/link.txt",
      "artifacts/hard.txt",
      "artifacts/pipe.txt",
      "artifacts/folder.txt",
      "artifacts/sub/in.txt",
      "artifacts/../private.txt",
      "artifacts/%2e%2e/private.txt",
      "artifacts/%2E%2E%2Fprivate.txt",
      "artifacts/..%2fprivate.txt",
      "artifacts/..%5cprivate.txt",
      "artifacts/.%2e/private.txt",
      "artifacts/%252e%252e/private.txt",
      "artifacts/%c0%ae%c0%ae/private.txt",
      "artifacts/%uff0e%uff0e/private.txt",
      "artifacts/sub/../../private.txt",
      "artifacts/./ok.txt",
      "artifacts//ok.txt",
      "artifacts/ok.txt/",
      "artifacts/ok.txt/.",
      "artifacts/ok.txt%2f",
      "artifacts/OK.txt",
      "artifacts//etc/passwd",
      "artifacts/%2fetc%2fpasswd",
      `artifacts/${encodeURIComponent(secret)}`,
      `artifacts/file:%2f%2f${encodeURIComponent(secret)}`,
      "artifacts/ok.txt%00",
      "artifacts/ok.txt%00.png",
      "artifacts/ok.txt%0a",
      "artifacts/ok.txt%20",
      "artifacts/%",
      "artifacts/%ff",
      "artifacts/.session-agent",
      "artifacts/%2esession-agent",
      `artifacts/${"a".repeat(5000)}`,
      `artifacts/${"a/".repeat(2000)}b`,
      "artifacts/",
      "artifacts",
      "artifacts/artifacts/../../private.txt",
      "private.txt",
      ".tmp",
      "../../master.key",
      "%2e%2e/%2e%2e/master.key"
    ]
    for (const attack of attacks) {
      const { status, text } = await raw(task, `${prefix}/${attack}`)
      assert.isTrue(status !== undefined && status >= 400 && status < 500, `${attack}: ${status}`)
      assert.notInclude(text, "secret", attack)
    }
    // Targets that are no addresses.
    const path = `${prefix}/artifacts/secret.txt`
    for (const target of [
      `http://[${path}`,
      `http://a:b:c${path}`,
      `http://%${path}?expires=1`,
      `//[${path}`,
      `x:${path}`
    ]) {
      for (const headers of [bearer(task), {}]) {
        const { status } = await raw(task, target, headers)
        assert.isTrue(status !== undefined && status >= 400 && status < 500, `${target}: ${status}`)
      }
    }
    assert.strictEqual((await raw(task, `${prefix}/artifacts/ok.txt`)).text, "fine")
  })

  it("serves no foreign file while a folder is repeatedly replaced by a link", async () => {
    const client = await opened()
    const { task } = client
    const outside = temporary()
    Fs.writeFileSync(Path.join(outside, "in.txt"), "secret")
    await client.prompt("write artifacts/sub/in.txt fine")
    const sub = Path.join(folderOf(task), "sub")
    const swap = `
      const fs = require("fs"), [sub, outside] = process.argv.slice(1)
      fs.renameSync(sub, sub + "-real"); fs.symlinkSync(outside, sub + "-link")
      for (let n = 0; n < 1e9; n++) {
        fs.renameSync(sub + "-link", sub); fs.renameSync(sub, sub + "-link")
        fs.renameSync(sub + "-real", sub); fs.renameSync(sub, sub + "-real")
      }`
    const { spawn } = await import("node:child_process")
    const swapper = spawn(process.execPath, ["-e", swap, sub, outside], { stdio: "ignore" })
    const seen = new Set<string>()
    const until = Date.now() + 1500
    while (Date.now() < until) {
      const { status, text } = await raw(task, `${prefixOf(task)}/artifacts/sub/in.txt`)
      seen.add(status === 200 ? text : String(status))
    }
    swapper.kill("SIGKILL")
    assert.isTrue(
      [...seen].every((each) => each === "fine" || each === "404"),
      [...seen].join()
    )
    for (const { artifact } of await entries(task)) assert.notStrictEqual(artifact.size, "secret".length)
  })

  it("opens no other task's files when an agent replaces its folder by a link", async () => {
    const [client, other] = [await opened(), await opened()]
    for (const each of [client, other]) await each.prompt("write artifacts/a.txt fine")
    Fs.writeFileSync(Path.join(folderOf(other.task), "a.txt"), "secret")
    Fs.renameSync(client.task.folder, `${client.task.folder}-away`)
    Fs.symlinkSync(other.task.folder, client.task.folder)
    const { status, text } = await raw(client.task, `${prefixOf(client.task)}/artifacts/a.txt`)
    assert.deepStrictEqual([status, text.includes("secret")], [404, false])
  })

  it("limits a signed address to one file of one task for a limited time", async () => {
    const [client, other] = [await opened(), await opened()]
    for (const each of [client, other]) await each.prompt("write artifacts/a.txt a\nwrite artifacts/b.txt b")
    const { task } = client
    const url: string = (await entries(task)).find(({ artifact }) => artifact.name === "a.txt").url
    assert.strictEqual(new URL(url).origin, new URL(task.link).origin)
    const target = url.slice(new URL(url).origin.length)
    const status = async (changed: string) => (await raw(task, changed, {})).status
    assert.strictEqual(await status(target), 200)
    assert.strictEqual((await raw(task, target, {}, "HEAD")).status, 200)
    const expires = /expires=(\d+)/.exec(target)![1]!
    const signature = /signature=([^&]+)/.exec(target)![1]!
    const refused = [
      target.replace("a.txt", "b.txt"),
      target.replace(task.taskId, other.task.taskId),
      target.replace(expires, String(Number(expires) + 1)),
      target.replace(expires, `${expires}0`),
      target.replace(`expires=${expires}`, `expires=${expires}.0e0`).replace(signature, ""),
      target.replace(`expires=${expires}&`, ""),
      target.replace(signature, ""),
      target.replace(signature, signature.slice(0, -1)),
      target.replace(signature, [...signature].toReversed().join("")),
      target.replace(signature, `${signature}A`.slice(1)),
      target.replace(/&signature=.*/, "&signature=a&signature=") + signature,
      target.replace("/artifacts/a.txt", "/api/session/artifacts"),
      target.replace("/artifacts/a.txt", "/acp"),
      target.replace(/\?.*/, "")
    ]
    for (const each of refused) assert.strictEqual(await status(each), 401, each)
    for (const method of ["POST", "PUT", "DELETE"]) {
      assert.isAtLeast((await raw(task, target, {}, method)).status ?? 0, 400, method)
    }
    // An access token, another task's ticket, and nothing at all open nothing.
    for (const headers of [
      bearer(other.task),
      { authorization: "Bearer x" },
      { authorization: `Basic ${task.token}` }
    ]) {
      assert.strictEqual((await raw(task, `${prefixOf(task)}/artifacts/a.txt`, headers)).status, 401)
    }
    const key = createSecretKey(new Uint8Array(32))
    const query = new URLSearchParams(MediaUrl.sign(key, TaskId.make("t"), "a", 1000))
    assert.isTrue(MediaUrl.verify(key, TaskId.make("t"), "a", query, 999))
    assert.isFalse(MediaUrl.verify(key, TaskId.make("t"), "a", query, 1000))
  })

  it("serves every listed name, and marks types that must not be shown inline", async () => {
    const client = await opened()
    const { task } = client
    const folder = folderOf(task)
    const names = [
      "ü ".repeat(60).trim(),
      "100%.txt",
      "a?b#c&d.txt",
      "a;b='c'.txt",
      "😀.txt",
      "..a.txt".slice(1),
      'quote".txt'
    ]
    const deep = Array.from({ length: 8 }, () => "ё".repeat(100)).join("/")
    Fs.mkdirSync(Path.join(folder, deep), { recursive: true })
    const shown = names.filter((name) => !name.startsWith(".")).concat(`${deep}/x.txt`)
    for (const name of names.concat(`${deep}/x.txt`)) Fs.writeFileSync(Path.join(folder, name), name)
    Fs.writeFileSync(Path.join(folder, "drawing.txt"), "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")
    await client.prompt("echo done")
    const listed = await entries(task)
    assert.lengthOf(listed, shown.length + 1)
    for (const { artifact, md5, url } of listed) {
      const direct = await fetch(url)
      assert.strictEqual(direct.status, 200, artifact.uri)
      assert.strictEqual(
        createHash("md5")
          .update(Buffer.from(await direct.arrayBuffer()))
          .digest("hex"),
        md5
      )
      const byUri = artifact.uri.replace("agent:///", `${task.sandboxUrl}/`)
      assert.strictEqual((await fetch(byUri, { headers: bearer(task) })).status, 200, byUri)
    }
    const { headers } = await fetch(listed.find(({ artifact }) => artifact.name === "drawing.txt").url)
    assert.deepStrictEqual(
      ["content-type", "x-content-type-options", "content-security-policy"].map((name) => headers.get(name)),
      ["image/svg+xml", "nosniff", "default-src 'none'; sandbox"]
    )
    assert.match(headers.get("content-disposition") ?? "", /^attachment; filename="drawing.txt"/)
  })

  it("ends a response with an error when the file becomes shorter", async () => {
    const client = await opened()
    const { task } = client
    const path = Path.join(folderOf(task), "shrinks.bin")
    Fs.writeFileSync(path, Buffer.alloc(32 * 1024 * 1024, 1))
    await client.prompt("echo done")
    const response = await fetch(`${task.sandboxUrl}/artifacts/shrinks.bin`, { headers: bearer(task) })
    const reader = response.body!.getReader()
    let read = (await reader.read()).value?.length ?? 0
    Fs.truncateSync(path, 1024 * 1024)
    const failed = await (async () => {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return undefined
        read += value.length
      }
    })().catch((error: unknown) => error)
    assert.instanceOf(failed, Error)
    assert.isBelow(read, 32 * 1024 * 1024)
  })

  it("streams a large file in bounded memory, and resumes a broken download", { timeout: 600_000 }, async () => {
    const client = await opened()
    const { task } = client
    const path = Path.join(folderOf(task), "large.bin")
    const size = mebibytes * 1024 * 1024
    const hash = createHash("md5")
    const file = Fs.openSync(path, "w")
    for (let n = 0; n < mebibytes; n++) {
      const piece = Buffer.alloc(1024 * 1024, n % 251)
      hash.update(piece)
      Fs.writeSync(file, piece)
    }
    Fs.closeSync(file)
    const whole = hash.digest("hex")
    await client.prompt("echo done")
    await client.until(() => client.messages.some(({ params }) => params?.artifact?.name === "large.bin"), "the file")
    const network = await Cutting.open(service().url, (cuts) => (cuts < 2 ? size / 3 : undefined))
    const { artifacts } = await Effect.runPromise(artifactsOf(task, network.url))
    const [entry] = await Effect.runPromise(artifacts.listAll({ type: "media" }))
    assert.strictEqual(entry!.md5, whole)
    const got = createHash("md5")
    const before = process.memoryUsage().rss
    let most = 0
    const began = Date.now()
    await artifacts.download(entry!, { maxBytes: size }).pipe(
      Stream.runForEach((chunk) =>
        Effect.sync(() => {
          got.update(chunk)
          most = Math.max(most, process.memoryUsage().rss - before)
        })
      ),
      Effect.runPromise
    )
    const seconds = (Date.now() - began) / 1000
    const { bytes, cuts } = network.tally
    network.close()
    console.log(
      `${mebibytes} MiB with ${cuts} cuts, ${seconds} s, at most ${Math.round(most / 1024 / 1024)} MiB more (both ends)`
    )
    Fs.rmSync(path)
    assert.strictEqual(got.digest("hex"), whole)
    assert.strictEqual(cuts, 2)
    // It went on where it was: what came twice is what was under way at a cut.
    assert.isBelow(bytes, size + 8 * 1024 * 1024)
    assert.isBelow(most, 200 * 1024 * 1024)
  })
})

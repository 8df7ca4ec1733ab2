import assert from "node:assert/strict"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "vitest"
import { runCli, spawnEmulator } from "./support/Cli.ts"

describe("discord-emulator", () => {
  it("prints one ready line, serves, and exits 0 on SIGTERM", async () => {
    const child = await spawnEmulator([], { HEDDLE_LIMITS: "fast" })
    const { api, applicationId, botToken } = child.ready
    const me = await fetch(`${api}/v10/users/@me`, { headers: { authorization: `Bot ${botToken}` } })
    assert.equal(((await me.json()) as { id: string }).id, applicationId)
    assert.equal(me.headers.get("x-ratelimit-limit"), "1000000")
    child.kill("SIGTERM")
    const { code, stderr, stdout } = await child.exited
    assert.deepEqual([code, stderr, stdout.trim().split("\n").length], [0, "", 1])
    assert.deepEqual(Object.keys(child.ready), [
      "ready",
      "api",
      "page",
      "botToken",
      "applicationId",
      "guildId",
      "channelId"
    ])
  })

  it("explains itself", async () => {
    const help = await runCli(["--help"])
    assert.equal(help.code, 0)
    for (const flag of ["--port", "--data", "--host", "--limits", "--locale"]) assert.ok(help.stdout.includes(flag))
    const version = await runCli(["--version"])
    assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/)
  })

  it("exits 2 with one line that names the setting and the fix", async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve))
    const { port } = taken.address() as AddressInfo
    const folder = await mkdtemp(join(tmpdir(), "discord-emulator-"))
    const file = join(folder, "file")
    await writeFile(file, "")
    const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, Record<string, string>, RegExp]> = [
      [
        ["--port", String(port)],
        {},
        new RegExp(`port ${port} is already taken on 127.0.0.1; choose another with --port`)
      ],
      [[], { HEDDLE_PORT: "often" }, /port must be a whole number from 0 to 65535, not often/],
      [["--port", "70000"], {}, /port must be a whole number from 0 to 65535, not 70000/],
      [["--port", "0", "--limits", "some"], {}, /limits must be discord or fast, not some/],
      [["--port", "0", "--locale", "zh"], {}, /locale must be one of Discord's \(.*zh-CN.*\), not zh/],
      [
        ["--port", "0", "--data", join(file, "below")],
        {},
        /data folder .* is not writable \(ENOTDIR\); choose another with --data/
      ],
      ...(process.platform === "linux"
        ? [[["--port", "0", "--data", "/proc/a/b"], {}, /data folder \/proc\/a\/b is not writable \(ENOENT\)/] as const]
        : []),
      [["--prot", "1"], {}, /Unknown option '--prot'; --help lists the options/],
      [["--port", "0", "--host", "256.0.0.1"], {}, /cannot listen on 256.0.0.1:0 .* check --host/]
    ]
    const runs = await Promise.all(wrong.map(([args, env]) => runCli(args, env)))
    runs.forEach(({ code, stderr, stdout }, index) => {
      assert.deepEqual([code, stdout], [2, ""])
      assert.match(stderr, wrong[index]?.[2] ?? /never/)
      assert.equal(stderr.trim().split("\n").length, 1)
    })
    taken.close()
    await rm(folder, { recursive: true })
  })
})

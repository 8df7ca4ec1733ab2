import { assert, it } from "@effect/vitest"
import * as OwnFile from "@heddle/server/sandbox/artifacts/OwnFile"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { temporary } from "../support/service.ts"

const rounds = Number(process.env["HEDDLE_ROUNDS"] ?? 1000)

it("reads no file outside of the folder while an agent replaces its folders by links", async () => {
  const task = temporary()
  const outside = temporary()
  Fs.writeFileSync(`${outside}/file.txt`, "secret")
  Fs.mkdirSync(`${task}/artifacts/sub`, { recursive: true })
  Fs.writeFileSync(`${task}/artifacts/sub/file.txt`, "mine")
  Fs.symlinkSync(outside, `${task}/link`)
  const swap = `const { renameSync } = require("fs"); process.chdir(process.argv[1]); console.log("on")
    for (;;) for (const [from, to] of [["artifacts/sub", "kept"], ["link", "artifacts/sub"], ["artifacts/sub", "link"], ["kept", "artifacts/sub"]]) renameSync(from, to)`
  const agent = spawn(process.execPath, ["-e", swap, task], { stdio: ["ignore", "pipe", "inherit"] })
  try {
    await once(agent.stdout, "data")
    const seen = new Set<string>()
    for (let round = 0; round < rounds || !seen.has("mine"); round++) {
      // Between the two, or the link, there is none: what is asked is only what is read.
      const opened = await OwnFile.open(Path.dirname(task), `${task}/artifacts`, "sub/file.txt")
      if (opened === undefined) continue
      seen.add(await opened.file.readFile("utf8"))
      await opened.file.close()
    }
    assert.deepStrictEqual([...seen], ["mine"])
  } finally {
    agent.kill("SIGKILL")
  }
})

import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { scriptedAgent } from "@heddle/test-support/Agents"
import { orders } from "./Orders.ts"
import { run, serve } from "./Program.ts"

interface Line {
  readonly event: "created" | "edited" | "deleted"
  readonly message: {
    readonly id: string
    readonly content: string
    readonly author: { readonly username: string; readonly bot?: boolean }
    readonly embeds: ReadonlyArray<{
      readonly title?: string
      readonly description?: string
      readonly image?: { readonly url: string }
    }>
    readonly attachments: ReadonlyArray<{
      readonly filename: string
      readonly content_type?: string
      readonly size: number
    }>
  }
}

describe("start --prompt", { timeout: 90_000 }, () => {
  let folder = ""
  let csv = ""
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "heddle-start-"))
    csv = join(folder, "orders.csv")
    await writeFile(csv, orders())
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  /** A conversation with the prompts, in a data folder of this name. */
  const runConversation = async (name: string, options: ReadonlyArray<string>, ...prompts: ReadonlyArray<string>) => {
    const said = prompts.flatMap((prompt) => ["--prompt", prompt])
    const done = await run(["--data", join(folder, name), ...options, ...said, "--json"])
    const lines = done.out
      .split("\n")
      .filter((line) => line !== "")
      .map((line): Line => JSON.parse(line))
    const last = new Map(lines.map((line) => [line.message.id, line.message]))
    return { ...done, lines, messages: [...last.values()] }
  }

  it("answers about a file in two turns, asks, and posts report, chart and summary", async () => {
    const talk = await runConversation(
      "allow",
      ["--file", csv, "--approve", "allow"],
      "What is in this file?",
      "chart quantity by region"
    )
    assert.strictEqual(talk.status, 0, talk.err)
    const said = talk.messages.map((message) => message.content).join("\n")
    assert.match(said, /12,000|12000/, "the number of rows")
    assert.match(said, /price/)
    assert.match(said, /missing/i)
    const titles = talk.messages.flatMap((message) => message.embeds.map((embed) => embed.title ?? ""))
    assert.isTrue(
      titles.some((title) => /allowed/i.test(title)),
      `an answered permission card in ${titles.join(" | ")}`
    )
    const files = talk.messages.flatMap((message) => (message.author.bot === true ? message.attachments : []))
    assert.isTrue(
      files.some((file) => file.filename.endsWith(".md")),
      "the report"
    )
    const charts = talk.messages.flatMap((message) => message.embeds.flatMap((embed) => embed.image?.url ?? []))
    assert.lengthOf(charts, 2, "a chart is shown inline in each round")
    for (const chart of charts) assert.match(chart, /\.png$/)
    assert.isAtLeast(talk.messages.filter((message) => /^-# done/m.test(message.content)).length, 2)
    const streamed = talk.lines.filter((line) => line.event === "edited" && line.message.content.length > 0)
    assert.isNotEmpty(streamed, "the answer grows by edits")
  })

  it("writes no file after a denied request, and says so", async () => {
    const talk = await runConversation("deny", ["--file", csv, "--approve", "deny"], "What is in this file?")
    assert.strictEqual(talk.status, 0, talk.err)
    // A long answer is posted as a file, too, which the bot makes itself.
    const posts = talk.messages.filter(({ author, content }) => author.bot === true && !/whole answer/.test(content))
    assert.isEmpty(posts.flatMap(({ attachments }) => attachments))
    const titles = talk.messages.flatMap((message) => message.embeds.map((embed) => embed.title ?? ""))
    assert.isTrue(
      titles.some((title) => /not allowed/i.test(title)),
      titles.join(" | ")
    )
    const sandboxes = join(folder, "deny", "server", "sandboxes")
    for (const task of await readdir(sandboxes)) {
      assert.isEmpty(await readdir(join(sandboxes, task, "artifacts")))
    }
  })

  it("shows in the thread that the agent's command was not found, and exits with 1", async () => {
    const talk = await runConversation("missing", ["--agent", "no-such-agent --acp"], "hello")
    assert.strictEqual(talk.status, 1)
    const said = talk.messages.map(
      (message) => `${message.content} ${message.embeds.map((embed) => embed.description).join(" ")}`
    )
    assert.match(said.join("\n"), /no-such-agent/)
    assert.notMatch(said.join("\n") + talk.err, /\n\s+at .*\(/, "no stack trace")
  })

  it("sends every prompt after a failed turn, and exits with 1", async () => {
    const agent = ["--agent", `node ${scriptedAgent}`, "--isolation", "none"]
    const talk = await runConversation("failed-turn", agent, "fail", "echo the second answer")
    assert.strictEqual(talk.status, 1)
    assert.match(talk.err, /the model is overloaded/)
    assert.isTrue(
      talk.messages.some(
        ({ author, content }) => author.bot === true && content.startsWith("the second answer\n-# done")
      )
    )
  })

  it("names an invalid setting in one line, and exits with 2", async () => {
    const done = await run(["--data", "/proc/nowhere/heddle"])
    assert.strictEqual(done.status, 2, done.err)
    assert.match(done.err, /^heddle: .*--data.*\n$/)
  })

  it("refuses the data folder and the port of another start, and exits with 0 on SIGTERM", async () => {
    const args = (name: string, port = "0") => [
      "--data",
      join(folder, name),
      "--port",
      port,
      "--service-port",
      "0",
      "--callback-port",
      "0"
    ]
    const first = await serve(args("shared"))
    const sameFolder = await run(args("shared"))
    assert.strictEqual(sameFolder.status, 2)
    assert.match(sameFolder.err, /in use|held|already/)
    const { port } = new URL(first.ready.page)
    const samePort = await run(args("own", port))
    assert.strictEqual(samePort.status, 2)
    assert.match(samePort.err, new RegExp(port))
    assert.strictEqual(await first.end("SIGTERM"), 0)
  })
})

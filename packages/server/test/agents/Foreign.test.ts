import { assert, describe, it } from "@effect/vitest"
import * as SessionState from "@heddle/acp/SessionState"
import { demoAgent } from "@heddle/server/config/ServerOptions"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import * as Model from "./support/model.ts"
import * as Service from "./support/service.ts"

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const installed = (name: string) => here(`../../../../test/agents/node_modules/.bin/${name}`)
const rows = Array.from({ length: 200 }, (_, n) => [n, ["EU", "US"][n % 2], n % 37])
const csv = `id,region,price\n${rows.join("\n")}\n`
/** So many columns that telling of them takes a while. */
const wide = `id,region,price,${rows.slice(0, 60).map(([n]) => `c${n}`)}\n${rows.map((row) => `${row},${rows.slice(0, 60).map(([n]) => n)}`).join("\n")}\n`

/** What is asked of an agent, and how it shows that it did it; paths are in the task's folder. */
interface Case {
  readonly name: string
  readonly command: ReadonlyArray<string>
  readonly agentName: string
  readonly environment: (model: string) => Readonly<Record<string, string>>
  /** A question that needs no permission, and a part of its answer. */
  readonly say: readonly [prompt: string, answer: RegExp]
  /** Something that needs permission, and makes a file: first allowed, then denied. */
  readonly write: readonly [allowed: WritePrompt, denied: WritePrompt]
  readonly slow: string
  /** What happens to the task's folder while the service is stopped. */
  readonly meanwhile?: (folder: string) => void
  /** A question after the restart, and a part of the answer; nothing where only the model would know. */
  readonly recall: readonly [prompt: string, answer: RegExp]
}
interface WritePrompt {
  readonly prompt: (folder: string) => string
  /** The file and its text, where one is known beforehand. */
  readonly file?: string
  readonly text?: string
}

const write = (file: string): WritePrompt => ({
  prompt: (folder) => `write ${folder}/${file} so it is`,
  file,
  text: "so it is"
})
const byCommand = {
  say: ["say hello to everybody", /hello to everybody/],
  write: [write("allowed.txt"), write("denied.txt")],
  slow: "slow"
} as const

const cases: ReadonlyArray<Case> = [
  {
    name: "the demo agent",
    command: demoAgent() ?? [],
    agentName: "heddle-agent",
    environment: () => ({ HEDDLE_AGENT_PACE_MS: "30" }),
    say: ["hello", /./],
    write: [
      { prompt: () => `What is in this file?\n\n${csv}`, file: "artifacts/report.md" },
      { prompt: () => "chart total id by region" }
    ],
    slow: `What is in this file?\n\n${wide}`,
    recall: ["average price by region", /EU/]
  },
  {
    name: "an agent on the official SDK",
    command: [process.execPath, here("./support/sdk-agent.mjs")],
    agentName: "sdk-agent",
    environment: () => ({}),
    ...byCommand,
    recall: ["recall", /hello to everybody/]
  },
  {
    name: "Gemini CLI",
    command: [installed("gemini"), "--acp"],
    agentName: "gemini-cli",
    environment: (model) => ({ GEMINI_API_KEY: "fake", GOOGLE_GEMINI_BASE_URL: model }),
    ...byCommand,
    // It overwrites a session that is loaded in the very minute of the clock in which it began: let this be another.
    meanwhile: (folder) => {
      for (const name of Fs.readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        if (!/chats.session-.*[.]jsonl$/.test(name)) continue
        const earlier = name.replace(/T\d\d-\d\d/, (time) => (time === "T00-00" ? "T00-01" : "T00-00"))
        Fs.renameSync(Path.join(folder, name), Path.join(folder, earlier))
      }
    },
    recall: ["recall", /hello to everybody/]
  },
  {
    name: "Qwen Code",
    command: [installed("qwen"), "--acp", "--auth-type", "openai"],
    agentName: "qwen-code",
    environment: (model) => ({ OPENAI_BASE_URL: `${model}/v1`, OPENAI_API_KEY: "fake", OPENAI_MODEL: "fake" }),
    ...byCommand,
    recall: ["recall", /hello to everybody/]
  }
]

const missing = ({ command: [program = ""] }: Case) => !Fs.existsSync(program)
if (process.env["HEDDLE_REQUIRE_AGENTS"] === "1" && cases.some(missing)) {
  throw new Error("HEDDLE_REQUIRE_AGENTS=1, but they are not installed: node scripts/install-agents.mjs")
}

describe("agents through the whole service", { timeout: 60_000 }, () => {
  for (const each of cases) {
    const skipped = missing(each) ? " (skipped: not installed; node scripts/install-agents.mjs)" : ""
    it.skipIf(skipped !== "")(`${each.name}: prompt, permission, cancel, attach, restart${skipped}`, () =>
      Effect.gen(function* () {
        const model = yield* Effect.acquireRelease(Effect.promise(Model.start), ({ close }) => Effect.promise(close))
        const environment = each.environment(model.url)
        Object.assign(process.env, environment)
        const service = yield* Service.make({
          agentCommand: each.command,
          agentEnvironment: Object.keys(environment)
        })
        const { folder, status, taskId } = yield* service.task
        let decision: "allow_once" | "reject_once" = "allow_once"
        const mine = yield* service.attach(taskId, () => decision)
        const prompt = (text: string) => mine.prompt([{ type: "text", text }])
        const said = Effect.map(mine.state, (state) => textOf(state))

        // Initialize and a plain turn.
        assert.strictEqual((yield* mine.agent).agentInfo?.name, each.agentName)
        assert.strictEqual((yield* prompt(each.say[0])).stopReason, "end_turn")
        assert.match(yield* said, each.say[1])
        assert.strictEqual(yield* status, "completed")

        // A tool with permission allowed, then denied.
        const [allowed, denied] = each.write
        assert.strictEqual((yield* prompt(allowed.prompt(folder))).stopReason, "end_turn")
        assert.lengthOf(mine.asked, 1)
        const written = Fs.readFileSync(Path.join(folder, allowed.file ?? ""), "utf8")
        assert.include(written, allowed.text ?? "")
        const files = filesOf(folder)
        assert.include(
          SessionState.toolCalls(yield* mine.state).map((call) => call.status),
          "completed"
        )
        decision = "reject_once"
        assert.strictEqual((yield* prompt(denied.prompt(folder))).stopReason, "end_turn")
        assert.lengthOf(mine.asked, 2)
        assert.deepStrictEqual(filesOf(folder), files)

        // A second client attaches in the middle of a turn, sees all of it, and the turn is cancelled.
        const before = (yield* said).length
        const turn = yield* Effect.fork(prompt(each.slow))
        yield* mine.until((state) => textOf(state).length > before + 20)
        const late = yield* service.attach(taskId, () => decision)
        const attached = textOf(yield* late.state)
        assert.isAbove(attached.length, before)
        yield* late.until((state) => textOf(state).length > attached.length)
        yield* late.cancel
        assert.strictEqual((yield* Fiber.join(turn)).stopReason, "cancelled")
        yield* late.until((state) => textOf(state).length >= attached.length)
        const whole = textOf(yield* mine.state)
        yield* late.until((state) => textOf(state) === whole)

        // The service restarts; the same session goes on, and the agent knows what was said.
        yield* service.stop
        each.meanwhile?.(folder)
        yield* service.start
        decision = "reject_once"
        assert.strictEqual((yield* prompt(each.recall[0])).stopReason, "end_turn")
        const after = yield* said
        assert.isTrue(after.startsWith(whole), "what was said stays")
        assert.notMatch(after, /does not remember/)
        assert.match(after.slice(whole.length), each.recall[1])
        assert.strictEqual(yield* status, "completed")
      }).pipe(Effect.scoped, Effect.runPromise)
    )
  }
})

/** What people see in a task's folder. */
const filesOf = (folder: string): ReadonlyArray<string> =>
  [folder, Path.join(folder, "artifacts")].flatMap((each) => Fs.readdirSync(each).filter((name) => name[0] !== "."))

/** What the agent said, in one string. */
const textOf = (state: SessionState.SessionState): string =>
  SessionState.messages(state, "agent")
    .map(({ text }) => text)
    .join("")

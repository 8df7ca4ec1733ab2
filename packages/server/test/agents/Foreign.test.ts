import { assert, describe, it } from "@effect/vitest"
import type * as AcpSession from "@heddle/acp/AcpSession"
import * as SessionControls from "@heddle/acp/SessionControls"
import * as SessionState from "@heddle/acp/SessionState"
import * as AgentTests from "@heddle/test-support/AgentTests"
import * as TestedAgents from "@heddle/test-support/TestedAgents"
import type * as FakeModel from "@heddle/test-support/model/FakeModel"
import { demoAgent } from "@heddle/server/config/AgentOptions"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import * as Service from "./support/service.ts"

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const rows = Array.from({ length: 200 }, (_, n) => [n, ["EU", "US"][n % 2], n % 37])
const csv = `id,region,price\n${rows.join("\n")}\n`
/** So many columns that telling of them takes a while. */
const wide = `id,region,price,${rows.slice(0, 60).map(([n]) => `c${n}`)}\n${rows.map((row) => `${row},${rows.slice(0, 60).map(([n]) => n)}`).join("\n")}\n`

const embedded = ({ contentType, data, name }: typeof AgentTests.orders) =>
  ({
    type: "resource",
    resource: { uri: `attachment:///${name}`, mimeType: contentType, blob: Buffer.from(data).toString("base64") }
  }) as const
const { orders, photo } = AgentTests
const lastRow = "the last row of a large file"
const large = {
  name: "large.csv",
  contentType: "text/csv",
  data: Buffer.from(`${`${"y".repeat(1900)}\n`.repeat(500)}${lastRow}`)
}
const attachments = [
  embedded(orders),
  embedded(large),
  embedded({ name: "settings.json", contentType: "application/json", data: new TextEncoder().encode("{}") }),
  {
    type: "image",
    mimeType: photo.contentType,
    data: photo.data.toString("base64"),
    uri: `attachment:///${photo.name}`
  } as const
]

/** What is asked of an agent, and how it shows that it did it; paths are in the task's folder. */
interface Case {
  readonly name: string
  readonly command: ReadonlyArray<string>
  readonly agentName: string | undefined
  /** The variables of the agent; they lead it to the fake model at this address. */
  readonly environment: (model: string) => Readonly<Record<string, string>>
  readonly namespaces: boolean
  /** Why the agent cannot run here; undefined where it can. */
  readonly problem: string | undefined
  /** Whether pictures reach the model; undefined for an agent without a model. */
  readonly pictures?: boolean
  readonly modelError?: TestedAgents.TestedAgent["modelError"]
  /** How a turn ends in which a tool was denied, where the model is not asked again. */
  readonly afterDenial?: "cancelled" | "end_turn"
  /** The mode to choose so that it asks; undefined where it begins so. */
  readonly askingMode?: string | undefined
  /** A question that needs no permission, and a part of its answer. */
  readonly say: readonly [prompt: string, answer: RegExp]
  /** Something that needs permission, and makes a file: first allowed, then denied. */
  readonly write: readonly [allowed: WritePrompt, denied: WritePrompt]
  readonly slow: string
  /** What happens to the task's folder while the service is stopped. */
  readonly whileStopped?: (folder: string) => void
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

const ownProgram = { namespaces: false, problem: undefined } as const

const cases: ReadonlyArray<Case> = [
  {
    name: "the demo agent",
    command: demoAgent() ?? [],
    agentName: "heddle-agent",
    ...ownProgram,
    environment: () => ({ HEDDLE_AGENT_PACE_MS: "30" }),
    say: ["hello", /./],
    write: [
      { prompt: () => `What is in this file?\n\n${csv}`, file: "artifacts/report.md" },
      { prompt: () => "chart total price by region" }
    ],
    slow: `What is in this file?\n\n${wide}`,
    recall: ["average price by region", /EU/]
  },
  {
    name: "an agent on the official SDK",
    command: [process.execPath, here("./support/sdk-agent.mjs")],
    agentName: "sdk-agent",
    ...ownProgram,
    environment: () => ({}),
    ...byCommand,
    recall: ["recall", /hello to everybody/]
  },
  ...TestedAgents.read().map((tested): Case => ({
    ...tested,
    ...byCommand,
    recall: ["recall", /hello to everybody/]
  }))
]

AgentTests.requireAll(cases)

describe("agents through the whole service", { timeout: 120_000 }, () => {
  for (const each of cases) {
    const skipped = AgentTests.skipped(each)
    it.skipIf(skipped !== "")(`${each.name}: prompt, permission, cancel, attach, restart${skipped}`, () =>
      AgentTests.withModel(each, (model, variables) => Effect.runPromise(Effect.scoped(works(each, model, variables))))
    )
  }
})

type ServiceOfTest = Effect.Effect.Success<ReturnType<typeof Service.make>>

/** A session with the agent, as the steps of the test use it. */
interface Opened {
  readonly agent: Case
  readonly service: ServiceOfTest
  readonly task: Effect.Effect.Success<ServiceOfTest["task"]>
  readonly mine: Effect.Effect.Success<ReturnType<ServiceOfTest["attach"]>>
  readonly answers: { decision: "allow_once" | "reject_once" }
}

const works = Effect.fnUntraced(function* (agent: Case, model: FakeModel.FakeModel, variables: ReadonlyArray<string>) {
  const service = yield* Service.make({
    agents: [{ command: agent.command, environment: variables, namespaces: agent.namespaces }]
  })
  const task = yield* service.task
  if (agent.askingMode !== undefined) yield* service.setMode(task.taskId, agent.askingMode)
  const answers: Opened["answers"] = { decision: "allow_once" }
  const mine = yield* service.attach(task.taskId, () => answers.decision)
  const opened: Opened = { agent, service, task, mine, answers }
  yield* answersPlainly(opened)
  if (agent.pictures !== undefined) yield* takesFiles(opened, agent.pictures, model)
  if (agent.modelError === "error") yield* tellsModelErrors(opened)
  yield* asksBeforeItWrites(opened)
  yield* isCancelledByALateClient(opened)
  yield* outlivesARestart(opened)
})

const prompt = ({ mine }: Opened, text: string) => mine.prompt([{ type: "text", text }])
const said = ({ mine }: Opened) => Effect.map(mine.state, (state) => textOf(state))

const answersPlainly = Effect.fnUntraced(function* (opened: Opened) {
  const { agent, mine, task } = opened
  assert.strictEqual((yield* mine.agent).agentInfo?.name, agent.agentName)
  assert.strictEqual((yield* prompt(opened, agent.say[0])).stopReason, "end_turn")
  assert.match(yield* said(opened), agent.say[1])
  assert.strictEqual(yield* task.status, "completed")
})

/** Files of any kind reach the model as names, pictures as pictures, and the conversation goes on. */
const takesFiles = Effect.fnUntraced(function* (opened: Opened, pictures: boolean, model: FakeModel.FakeModel) {
  const before = model.questions.length
  const { stopReason } = yield* opened.mine.prompt([{ type: "text", text: "say thanks for these" }, ...attachments])
  assert.strictEqual(stopReason, "end_turn")
  assert.match(yield* said(opened), /thanks for these/)
  const asked = model.questions
    .slice(before)
    .find(({ texts, tools }) => tools.size > 0 && texts.join("\n").includes("thanks for these"))
  for (const name of ["orders.xlsx", "settings.json", "photo.png"]) {
    assert.include(asked?.texts.join("\n"), `attachments/${name}`)
  }
  assert.strictEqual(asked?.media.includes("image/png"), pictures)
  assert.notInclude(asked?.texts.join("\n"), lastRow, "a large file is in no request to the model")
})

/** What its model's service says reaches the person, and the conversation goes on. */
const tellsModelErrors = Effect.fnUntraced(function* (opened: Opened) {
  const ended = yield* Effect.either(prompt(opened, "fail 400 You have exceeded your current quota"))
  assert.isTrue(Either.isLeft(ended))
  assert.match(JSON.stringify(ended), /You have exceeded your current quota/)
  assert.strictEqual((yield* prompt(opened, "say better now")).stopReason, "end_turn")
})

/** A tool with permission: allowed, then denied. */
const asksBeforeItWrites = Effect.fnUntraced(function* (opened: Opened) {
  const { agent, answers, mine, task } = opened
  const [allowed, denied] = agent.write
  assert.strictEqual((yield* prompt(opened, allowed.prompt(task.folder))).stopReason, "end_turn")
  assert.lengthOf(mine.asked, 1)
  const written = Fs.readFileSync(Path.join(task.folder, allowed.file ?? ""), "utf8")
  assert.include(written, allowed.text ?? "")
  const files = filesOf(task.folder)
  assert.include(
    SessionState.toolCalls(yield* mine.state).map((call) => call.status),
    "completed"
  )
  answers.decision = "reject_once"
  assert.strictEqual((yield* prompt(opened, denied.prompt(task.folder))).stopReason, agent.afterDenial ?? "end_turn")
  assert.lengthOf(mine.asked, 2)
  assert.deepStrictEqual(filesOf(task.folder), files)
})

/** A second client attaches in the middle of a turn, sees all of it, and cancels it. */
const isCancelledByALateClient = Effect.fnUntraced(function* (opened: Opened) {
  const { agent, answers, mine, service, task } = opened
  const before = (yield* said(opened)).length
  const turn = yield* Effect.fork(prompt(opened, agent.slow))
  yield* mine.until((state) => textOf(state).length > before + 20)
  const late = yield* service.attach(task.taskId, () => answers.decision)
  const attached = textOf(yield* late.state)
  assert.isAbove(attached.length, before)
  yield* late.until((state) => textOf(state).length > attached.length)
  yield* late.cancel
  assert.strictEqual((yield* Fiber.join(turn)).stopReason, "cancelled")
  yield* late.until((state) => textOf(state).length >= attached.length)
  const whole = yield* said(opened)
  yield* late.until((state) => textOf(state) === whole)
})

/** The service restarts; the same session goes on with its mode and model, and the agent knows what was said. */
const outlivesARestart = Effect.fnUntraced(function* (opened: Opened) {
  const { agent, answers, mine, service, task } = opened
  const whole = yield* said(opened)
  const chosen = yield* chooseOthers(mine)
  yield* service.stop
  agent.whileStopped?.(task.folder)
  yield* service.start
  answers.decision = "reject_once"
  assert.strictEqual((yield* prompt(opened, agent.recall[0])).stopReason, "end_turn")
  const after = yield* said(opened)
  assert.isTrue(after.startsWith(whole), "what was said stays")
  assert.notMatch(after, /does not remember/)
  assert.match(after.slice(whole.length), agent.recall[1])
  assert.strictEqual(yield* task.status, "completed")
  // Agents may forget their mode and model with their process.
  assert.deepStrictEqual(currents(yield* mine.state), chosen)
  assert.notMatch(after, /no longer offers|did not take/)
})

/** Chooses a mode and a model that the agent does not have, where it offers any; gives what it has then. */
const chooseOthers = Effect.fnUntraced(function* (
  session: Pick<AcpSession.AcpSession, "setMode" | "setModel" | "state">
) {
  const { mode, model } = SessionControls.of(yield* session.state)
  const otherMode = mode?.values.find(({ id }) => id === "plan" && id !== mode.current)
  // A model of another provider is not on this machine, and some agents refuse a model that they offer.
  const provider = (id: unknown) => (String(id).includes("/") ? String(id).split("/")[0] : undefined)
  const otherModel = model?.values.find(({ id }) => id !== model.current && provider(id) === provider(model.current))
  if (otherModel !== undefined) {
    yield* Effect.catchTag(session.setModel(otherModel.id), "RpcError", () => Effect.void)
  }
  if (otherMode !== undefined) yield* session.setMode(otherMode.id)
  const now = currents(yield* session.state)
  if (otherMode !== undefined) assert.strictEqual(now.mode, otherMode.id)
  return now
})

const currents = (state: SessionState.SessionState) => {
  const { mode, model } = SessionControls.of(state)
  return { mode: mode?.current, model: model?.current }
}

/** What people see in a task's folder. */
const filesOf = (folder: string): ReadonlyArray<string> =>
  [folder, Path.join(folder, "artifacts")].flatMap((each) => Fs.readdirSync(each).filter((name) => name[0] !== "."))

/** What the agent said, in one string. */
const textOf = (state: SessionState.SessionState): string =>
  SessionState.messages(state, "agent")
    .map(({ text }) => text)
    .join("")

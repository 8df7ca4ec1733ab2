import { assert, describe, it } from "@effect/vitest"
import { NewTask, TaskId } from "@heddle/core/domain/Task"
import { RedemptionRequest } from "@heddle/core/domain/Redemption"
import { Accounts } from "@heddle/server/accounts/Accounts"
import { SignIns } from "@heddle/server/accounts/SignIns"
import { AssistantMessages } from "@heddle/server/assistant/AssistantMessages"
import { AssistantQuestions } from "@heddle/server/assistant/AssistantQuestions"
import { Credits } from "@heddle/server/credits/Credits"
import { Applications } from "@heddle/server/oauth/Applications"
import { ConnectedApps } from "@heddle/server/oauth/ConnectedApps"
import { Consents } from "@heddle/server/oauth/Consents"
import { Devices } from "@heddle/server/oauth/Devices"
import { Grants } from "@heddle/server/oauth/Grants"
import { RedemptionCodes } from "@heddle/server/redemptions/RedemptionCodes"
import { Redemptions } from "@heddle/server/redemptions/Redemptions"
import { SandboxStore } from "@heddle/server/sandbox/journal/SandboxStore"
import { Metering } from "@heddle/server/tasks/Metering"
import { Tasks } from "@heddle/server/tasks/Tasks"
import { TaskStore } from "@heddle/server/tasks/TaskStore"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { withAllRules, type Stage } from "./support/AllRules.ts"
import { allRows, failingAtEach, lockedThroughout } from "./support/Statements.ts"
import { redirectUri } from "./support/TestServer.ts"

const scopes = new Set(["user.task.readable", "user.task.invokable"])
const none = Redacted.make("")

/** What an operation needs, and then the operation itself. */
type Operation = (stage: Stage) => Effect.Effect<Effect.Effect<unknown, unknown, never>, unknown, Services>

type Services =
  | Accounts
  | SignIns
  | AssistantMessages
  | AssistantQuestions
  | Credits
  | Applications
  | ConnectedApps
  | Consents
  | Devices
  | Grants
  | RedemptionCodes
  | Redemptions
  | SandboxStore
  | Metering
  | Tasks
  | TaskStore

const addPacks = Effect.gen(function* () {
  const credits = yield* Credits
  yield* credits.addPack({ userId: "ada", size: 2, source: "initial", expiresAt: 1_000_000 })
  yield* credits.addPack({ userId: "ada", size: 5, source: "initial" })
})

const addTask = (clientId: string) =>
  Effect.flatMap(TaskStore, (store) =>
    store.insert({ taskId: TaskId.make("t"), clientId, userId: "ada", name: "t", agent: "default" })
  )

const asked = (clientId: string) =>
  Effect.gen(function* () {
    const by = { assistantId: "pc", userId: "ada", instance: "run" }
    const owner = { clientId, userId: "ada" }
    const messageId = yield* (yield* AssistantMessages).send(owner, "hello")
    const request = { requestId: "q", kind: "questionnaire", text: "Which?", answerable: true, questions: [] } as const
    const questions = yield* AssistantQuestions
    return { by, owner, messageId, questions, ask: questions.ask(by, messageId, request) }
  })

/** Operations that are one transaction each. */
const operations: Readonly<Record<string, Operation>> = {
  "Credits.addPack": () =>
    Effect.map(Credits, (credits) => credits.addPack({ userId: "ada", size: 1, source: "initial" })),
  "Credits.spend, from two packs": () =>
    Effect.zipRight(
      addPacks,
      Effect.map(Credits, (credits) => credits.spend({ userId: "ada", amount: 4, reference: "turn" }))
    ),
  "Accounts.create, with credits": () =>
    Effect.map(Accounts, (accounts) => accounts.create({ name: "Carl", credits: 3 })),
  "SignIns.signIn": () =>
    Effect.gen(function* () {
      const password = Redacted.make("correct horse")
      yield* (yield* Accounts).create({ name: "Carl", password })
      const signIns = yield* SignIns
      return signIns.signIn({ name: "Carl", password, address: "192.0.2.1" })
    }),
  "Applications.create": () =>
    Effect.map(Applications, (applications) => applications.create({ name: "New", redirectUris: [redirectUri] })),
  "Applications.ensure": () =>
    Effect.map(Applications, (applications) => applications.ensure({ name: "Loom", redirectUris: [] })),
  "Grants.authorize": ({ clientId }) =>
    Effect.map(Grants, (grants) =>
      grants.authorize({ clientId, userId: "ada", scopes, redirectUri, codeChallenge: undefined })
    ),
  "Grants.exchange, of a second grant": ({ clientId }) =>
    Effect.gen(function* () {
      const grants = yield* Grants
      yield* grants.issue({ clientId, userId: "ada", scopes })
      const code = yield* grants.authorize({ clientId, userId: "ada", scopes, redirectUri, codeChallenge: undefined })
      return grants.exchange({ clientId, code, redirectUri, codeVerifier: undefined })
    }),
  "Grants.issue": ({ clientId }) => Effect.map(Grants, (grants) => grants.issue({ clientId, userId: "ada", scopes })),
  "Grants.refresh, with rotation": ({ clientId }) =>
    Effect.gen(function* () {
      const grants = yield* Grants
      const { refreshToken = none } = yield* grants.issue({ clientId, userId: "ada", scopes })
      return grants.refresh({ clientId, refreshToken, scope: undefined })
    }),
  "Grants.revoke": ({ clientId }) =>
    Effect.gen(function* () {
      const grants = yield* Grants
      const { refreshToken = none } = yield* grants.issue({ clientId, userId: "ada", scopes })
      return grants.revoke({ clientId, token: refreshToken })
    }),
  "Devices.start": ({ clientId }) => Effect.map(Devices, (devices) => devices.start({ clientId, scopes })),
  "Devices.decide": ({ clientId }) =>
    Effect.gen(function* () {
      const devices = yield* Devices
      const { userCode } = yield* devices.start({ clientId, scopes })
      return devices.decide({ userCode, userId: "ada", allow: true })
    }),
  "Devices.poll": ({ clientId }) =>
    Effect.gen(function* () {
      const devices = yield* Devices
      const { deviceCode, userCode } = yield* devices.start({ clientId, scopes })
      yield* devices.decide({ userCode, userId: "ada", allow: true })
      return devices.poll({ clientId, deviceCode })
    }),
  "ConnectedApps.disconnect": ({ clientId }) =>
    Effect.gen(function* () {
      yield* (yield* Grants).issue({ clientId, userId: "ada", scopes })
      yield* (yield* Consents).remember({ userId: "ada", clientId, scopes })
      const devices = yield* Devices
      const { userCode } = yield* devices.start({ clientId, scopes })
      yield* devices.decide({ userCode, userId: "ada", allow: true })
      return (yield* ConnectedApps).disconnect({ userId: "ada", clientId })
    }),
  "RedemptionCodes.create": () => Effect.map(RedemptionCodes, (codes) => codes.create({ credits: 1, count: 3 })),
  "Redemptions.redeem": ({ clientId }) =>
    Effect.gen(function* () {
      const [code = none] = yield* (yield* RedemptionCodes).create({ credits: 7 })
      const redemptions = yield* Redemptions
      return redemptions.redeem({ clientId, userId: "ada" }, new RedemptionRequest({ code, requestId: "request-1" }))
    }),
  "Metering.begin": ({ clientId }) =>
    Effect.gen(function* () {
      yield* addPacks
      yield* addTask(clientId)
      const metering = yield* Metering
      return metering.begin({ taskId: TaskId.make("t"), turnId: "turn" })
    }),
  "AssistantQuestions.ask": ({ clientId }) => Effect.map(asked(clientId), ({ ask }) => ask),
  "AssistantQuestions.answer": ({ clientId }) =>
    Effect.gen(function* () {
      const { ask, owner, questions } = yield* asked(clientId)
      yield* ask
      const question = yield* Effect.flatten(questions.question(owner, "q"))
      const answer = { requestId: "q", outcome: "selected", answers: {} } as const
      return questions.answer(owner, question, answer, "{}")
    }),
  "AssistantMessages.reply, in two parts": ({ clientId }) =>
    Effect.gen(function* () {
      const { ask, messageId } = yield* asked(clientId)
      yield* ask
      return (yield* AssistantMessages).reply("ada", messageId, { msgType: "text", text: "a line\n".repeat(15_000) })
    }),
  "SandboxStore.remove": ({ clientId }) =>
    Effect.gen(function* () {
      yield* addTask(clientId)
      const store = yield* SandboxStore
      const taskId = TaskId.make("t")
      yield* store.insert({ taskId, prompt: "x", held: false })
      yield* store.beginTurn({ turnId: "turn", taskId, messageId: "m" })
      yield* store.askPermission({ permissionId: "p", taskId, params: "{}" })
      return store.remove(taskId)
    })
}

const options = { contract: { refreshTokenOnRefresh: "rotate", singleGrant: true } } as const

describe("an operation whose nth statement fails changes nothing", () => {
  for (const [name, prepare] of Object.entries(operations)) {
    it.scoped(name, () =>
      withAllRules(options, (stage) =>
        Effect.gen(function* () {
          const operation = yield* prepare(stage)
          const before = yield* allRows
          yield* failingAtEach(operation, allRows)
          if (name !== "Metering.begin") assert.notDeepEqual(yield* allRows, before, "it changes something in the end")
        })
      )
    )
  }

  it.scoped("Tasks.create: no sandbox starts before its task is stored", () =>
    withAllRules(options, ({ clientId, started }) =>
      Effect.gen(function* () {
        const tasks = yield* Tasks
        const store = yield* TaskStore
        const create = tasks.create(
          { clientId, userId: "ada", grantId: "g", scopes: new Set() },
          new NewTask({ prompt: "x" }),
          "key-of-the-task"
        )
        const state = Effect.gen(function* () {
          const { tasks } = yield* store.list({ userId: "ada" }, { page: 1, size: 10 })
          assert.deepStrictEqual(
            started,
            tasks.map(({ taskId }) => taskId),
            "the sandboxes that were started are those of the tasks"
          )
        })
        yield* failingAtEach(create, state)
        assert.lengthOf(started, 1, "a repeated request starts no second one")
      })
    )
  )
})

/** Operations that decide on what they read: nobody may change it meanwhile. */
const exclusive = [
  "Credits.spend, from two packs",
  "ConnectedApps.disconnect",
  "Devices.poll",
  "Grants.exchange, of a second grant",
  "Metering.begin",
  "Redemptions.redeem"
]

describe("an operation keeps other processes from writing from its first statement on", () => {
  for (const name of exclusive) {
    it.scoped(name, () =>
      withAllRules({ contract: { singleGrant: true } }, (stage) =>
        Effect.gen(function* () {
          const operation = yield* operations[name]?.(stage) ?? Effect.dieMessage(`there is no ${name}`)
          yield* lockedThroughout(stage.dataDir, operation)
        })
      )
    )
  }
})

import { createHash } from "node:crypto"
import { type AcpError, ConnectionLost } from "@heddle/acp/AcpError"
import * as AcpSession from "@heddle/acp/AcpSession"
import type * as SessionControls from "@heddle/acp/SessionControls"
import type { SessionState } from "@heddle/acp/SessionState"
import * as Ticket from "@heddle/acp/Ticket"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import { TaskId } from "@heddle/core/domain/Task"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Accounts } from "../../access/Accounts.ts"
import * as Guard from "../../access/Guard.ts"
import * as KeyedMutex from "../../concurrency/KeyedMutex.ts"
import * as RetrySchedules from "../../concurrency/RetrySchedules.ts"
import * as Trigger from "../../concurrency/Trigger.ts"
import { DiscordApi } from "../../discord/DiscordApi.ts"
import { retryWhileUnavailable } from "../../discord/RetryPolicy.ts"
import type { NamedChange } from "../../messages/english/Agent.ts"
import type { Messages } from "../../messages/Messages.ts"
import type { Refusal } from "../../model/Access.ts"
import * as AgentOffers from "../../model/AgentOffers.ts"
import { TaskHeaders } from "../../outbox/TaskHeaders.ts"
import { AgentOfferRows, type StoredOffers } from "../../store/AgentOffers.ts"
import { retryWhileStoreFails } from "../../store/database/RetryPolicy.ts"
import { type Languages, messagesFor } from "../../store/Languages.ts"
import { type Thread, Threads } from "../../store/Threads.ts"
import { oneLine } from "../../text/Truncate.ts"
import { isOfAgent, remedy } from "../Failure.ts"
import { client } from "./AgentClient.ts"

/** A person's choice. */
export const Choice = Schema.Struct({
  kind: Schema.Literal("mode", "model", "option"),
  configId: Schema.optional(Schema.String),
  value: Schema.String,
  userId: Schema.String
})
export type Choice = typeof Choice.Type

/** What became of a choice. */
export const Outcome = Schema.Union(
  /** The thread says it. */
  Schema.TaggedStruct("Changed", { name: Schema.String, value: Schema.String }),
  Schema.TaggedStruct("Same", { name: Schema.String, value: Schema.String }),
  Schema.TaggedStruct("NotOffered", {}),
  Schema.TaggedStruct("UnknownValue", { values: Schema.Array(Schema.String) }),
  /** The policy refuses the choice now, although it may have allowed the click. */
  Schema.TaggedStruct("NotAllowed", {
    refusal: Schema.declare((value): value is Refusal => typeof value === "string"),
    allowsMore: Schema.Boolean
  }),
  /** The agent does not take it, and may say why. */
  Schema.TaggedStruct("Refused", {
    name: Schema.String,
    before: Schema.UndefinedOr(Schema.String),
    after: Schema.String,
    reason: Schema.optional(Schema.String)
  }),
  /** Nothing was changed. */
  Schema.TaggedStruct("NotReached", {}),
  /** It may have been changed. */
  Schema.TaggedStruct("NotAnswered", {}),
  Schema.TaggedStruct("NotConnected", {}),
  Schema.TaggedStruct("Failed", { text: Schema.String })
)
export type Outcome = typeof Outcome.Type

export type { NamedChange } from "../../messages/english/Agent.ts"

type Requirements = AgentOfferRows | Guard.Requirements | DiscordApi | Languages | TaskHeaders

type Session = Pick<AcpSession.AcpSession, "setConfigOption" | "setMode" | "setModel" | "state">

/** Keeps the stored offers equal to a session until the scope ends. The thread is told once of each change. */
export const follow = Effect.fnUntraced(function* (thread: Thread, session: Pick<Session, "state">) {
  let changes = 1
  let recorded = 0
  const context = yield* Effect.context<Effect.Effect.Context<ReturnType<typeof record>>>()
  const recordNow = Effect.suspend(() => {
    const until = changes
    return Effect.flatMap(session.state, (state) =>
      retryWhileStoreFails("What an agent offers", record(thread, state))
    ).pipe(Effect.tap(() => (recorded = until)))
  }).pipe(Effect.provide(context))
  const check = yield* Trigger.make(recordNow)
  check()
  return {
    /** The state has changed. */
    onChange: (changed: ReadonlySet<string>) => {
      if (!offerFields.some((field) => changed.has(field))) return
      changes++
      check()
    },
    /** Waits until all changes are stored. */
    finish: Effect.suspend(() => (recorded === changes ? Effect.void : recordNow))
  }
})

const offerFields = ["commands", "configOptions", "mode", "model", "models", "modes"] as const

/** Stores what a session offers, and tells the thread of what is chosen otherwise than it knows. */
const record = (thread: Thread, state: SessionState) =>
  inOrder(
    thread,
    Effect.gen(function* () {
      const rows = yield* AgentOfferRows
      const offers = AgentOffers.of(state)
      const stored = Option.getOrUndefined(yield* rows.find(thread.taskId))
      const currents = AgentOffers.currents(offers)
      if (stored === undefined) {
        if (AgentOffers.controls(offers).length + offers.commands.length === 0) return
        return yield* save(thread, undefined, { offers, said: currents, told: 0 })
      }
      const messages = yield* messagesFor(thread.guildId)
      const changes = AgentOffers.controls(offers).flatMap((control) => {
        const before = stored.said[AgentOffers.keyOf(control)]
        if (before === undefined || control.current === undefined || before === control.current) return []
        return [messages.agent.changed(named(messages, control, before, control.current))]
      })
      const isNew = changes.length > 0
      if (isNew) yield* post(thread, inOnePost(changes, messages), changeOf(stored.told, currents))
      yield* save(thread, stored, {
        offers,
        said: { ...stored.said, ...currents },
        told: stored.told + (isNew ? 1 : 0)
      })
    })
  )

/** The changes that fit, the first ones, and the number of the others. */
const inOnePost = (changes: ReadonlyArray<string>, { agent }: Messages): string => {
  const fitting = changes.filter((_, index) => changes.slice(0, index + 1).join("\n").length <= maxChanges)
  const others = changes.length - fitting.length
  return [...fitting, ...(others === 0 ? [] : [agent.moreChanged(others)])].join("\n")
}

/** Below Discord's limit of a message. */
const maxChanges = 1850

/** Makes a choice in a session, and tells the thread of it in these words. */
export const chooseIn = (
  thread: Thread,
  choice: Choice,
  session: Session,
  words: (messages: Messages, change: NamedChange) => string
) =>
  inOrder(
    thread,
    Effect.gen(function* (): Effect.fn.Return<Outcome, AcpError, Requirements> {
      const offers = AgentOffers.of(yield* session.state)
      const control = AgentOffers.find(offers, choice)
      if (control === undefined) return { _tag: "NotOffered" }
      const value = AgentOffers.resolve(control, choice.value)
      if (value === undefined)
        return { _tag: "UnknownValue", values: control.values.map(({ name }) => oneLine(name, 40)) }
      const messages = yield* messagesFor(thread.guildId)
      const names = named(messages, control, control.current, value)
      if (control.current === value) return { _tag: "Same", name: names.name, value: names.after }
      // The choice may have waited for another one, or for the session.
      const allowsMore = AgentOffers.allowsMore(control, value)
      const action = { _tag: "ChooseForAgent", task: thread, allowsMore } as const
      const refusal = yield* Guard.askPolicyAgain(choice.userId, thread.guildId, action, maxMemberAgeMs)
      if (refusal !== "allowed") return { _tag: "NotAllowed", refusal, allowsMore }
      const refused = yield* set(session, control, value).pipe(
        Effect.as(undefined),
        Effect.catchIf(isOfAgent, ({ reason }) =>
          Effect.succeed<Outcome>({
            _tag: "Refused",
            ...names,
            ...(reason === undefined ? {} : { reason: oneLine(reason, 500) })
          })
        )
      )
      if (refused !== undefined) return refused
      const now = AgentOffers.of(yield* session.state)
      const stored = Option.getOrUndefined(yield* (yield* AgentOfferRows).find(thread.taskId))
      const said = { ...stored?.said, [AgentOffers.keyOf(control)]: value }
      const told = stored?.told ?? 0
      yield* post(thread, words(messages, names), changeOf(told, said))
      yield* save(thread, stored, { offers: now, said: { ...AgentOffers.currents(now), ...said }, told: told + 1 })
      return { _tag: "Changed", name: names.name, value: names.after }
    })
  )

/** Where a choice is made: in the open session of the thread, which a running turn may still be opening. */
export interface Place {
  readonly session: Session | undefined
  readonly isTurnRunning: boolean
}

/** Makes a person's choice in the open session of the thread, or else in one that is opened for it. */
export const choose = Effect.fn("AgentChoices.choose")(function* (
  threadId: string,
  choice: Choice,
  place: () => Place
): Effect.fn.Return<Outcome, never, Accounts | Requirements | Threads> {
  const found = yield* (yield* Threads).find(threadId)
  if (Option.isNone(found)) return { _tag: "NotOffered" }
  const thread = found.value
  const messages = yield* messagesFor(thread.guildId)
  const attempt = Effect.suspend(() => {
    const { isTurnRunning, session } = place()
    if (session !== undefined) return chooseIn(thread, choice, session, byPerson(choice))
    return isTurnRunning ? notAttached : chooseInOwnSession(thread, choice)
  })
  return yield* attempt.pipe(
    // A turn that begins replaces the session of the one before.
    RetryPolicy.retryIf(
      ({ _tag }) => _tag === "ConnectionLost" && (place().isTurnRunning || place().session !== undefined),
      RetrySchedules.agentChoice
    ),
    Effect.timeoutTo({
      duration: "100 seconds",
      onSuccess: (outcome) => outcome,
      onTimeout: (): Outcome => ({ _tag: "NotAnswered" })
    }),
    Effect.catchAll((error): Effect.Effect<Outcome> => {
      if (error._tag === "ConnectionLost") return Effect.succeed({ _tag: error.sent ? "NotAnswered" : "NotReached" })
      const remedied = remedy(error, messages, thread.ownerId, "unsent")
      if (remedied._tag === "TryAgain") return Effect.succeed({ _tag: "NotReached" })
      return Effect.succeed(
        remedied._tag === "Reconnect" ? { _tag: "NotConnected" } : { _tag: "Failed", text: remedied.text }
      )
    })
  )
})

const byPerson =
  ({ userId }: Choice) =>
  ({ agent }: Messages, change: NamedChange) =>
    agent.changedBy(userId, change)

const notAttached = new ConnectionLost({ description: "The turn has no session yet", sent: false })

const chooseInOwnSession = (thread: Thread, choice: Choice) =>
  Effect.scoped(Effect.flatMap(openSession(thread), (session) => chooseIn(thread, choice, session, byPerson(choice))))

const openSession = Effect.fnUntraced(
  function* ({ ownerId, taskId }: Thread) {
    const accounts = yield* Accounts
    const ticket = yield* accounts.use(ownerId, ({ tasks }) =>
      Effect.flatMap(Ticket.fromChannel(tasks.awaitChannel(TaskId.make(taskId))), (made) =>
        Effect.as(made.current, made)
      )
    )
    return yield* AcpSession.open({ sessionId: taskId, ticket, ...client })
  },
  Effect.timeoutFail({
    duration: "20 seconds",
    onTimeout: () => new ConnectionLost({ description: "The session could not be opened in time", sent: false })
  })
)

const set = (session: Session, { configId = "", kind }: SessionControls.Control, value: string | boolean) => {
  switch (kind) {
    case "mode":
      return session.setMode(String(value))
    case "model":
      return session.setModel(String(value))
    case "option":
      return session.setConfigOption(configId, value)
  }
}

/** The names of a change, as people read them. */
const named = (
  { agent }: Messages,
  control: SessionControls.Control,
  before: string | boolean | undefined,
  after: string | boolean
): NamedChange => ({
  name: control.kind === "option" ? control.name : agent.kinds[control.kind],
  before: before === undefined ? undefined : AgentOffers.nameOf(control, before, agent),
  after: AgentOffers.nameOf(control, after, agent)
})

/** Stores the offers; the card of the task shows the mode. */
const save = Effect.fnUntraced(function* (thread: Thread, before: StoredOffers | undefined, after: StoredOffers) {
  if (JSON.stringify(before) === JSON.stringify(after)) return
  yield* (yield* AgentOfferRows).save(thread.taskId, after)
  if (before?.offers.mode?.current !== after.offers.mode?.current) yield* (yield* TaskHeaders).update(thread)
})

/** The key of the post of a change: after a crash, the same change has the same number. */
const changeOf = (told: number, said: StoredOffers["said"]) => `${told} ${JSON.stringify(said)}`

/** Posts in the thread; what has the same key is posted once. */
export const post = Effect.fnUntraced(function* ({ threadId }: Thread, content: string, key: string) {
  const api = yield* DiscordApi
  const nonce = `g${createHash("sha256").update(`${threadId} ${key}`).digest("hex")}`.slice(0, 25)
  yield* retryWhileUnavailable(api.create(threadId, { content }, { nonce })).pipe(
    Effect.catchAll((error) => Effect.logInfo("A thread could not be told of a choice", error.message))
  )
})

/** How old an answer of Discord about a member may be, in milliseconds. */
const maxMemberAgeMs = 5000

/** One change of a thread's choices at a time. */
const inOrder = <A, E, R>({ taskId }: Thread, effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(KeyedMutex.enqueue(`agent:${taskId}`), ({ release, run }) => Effect.ensuring(run(effect), release))

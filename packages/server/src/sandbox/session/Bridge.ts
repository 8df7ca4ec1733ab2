import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Metrics from "../../observability/Metrics.ts"
import type { Forwarded, Subscriber } from "./Subscribers.ts"
import { field, isRecord, stringField } from "../../internal/Json.ts"
import * as PromptBlocks from "./PromptBlocks.ts"
import type { PendingRequests } from "./PendingRequests.ts"
import type { SandboxEvent } from "./SandboxEvent.ts"
import * as AgentFailure from "../agent/AgentFailure.ts"
import type { SessionArtifacts } from "./SessionArtifacts.ts"
import type { ToolCalls } from "./ToolCalls.ts"
import { mostWaiting, type Context, type Turns } from "./Turns.ts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"

/** What the bridge remembers of a sandbox's agent. */
export interface Memory {
  /** The agent's answer to `initialize`. */
  agentInfo: unknown
  /** The agent's answer to opening its session, kept current. */
  sessionInfo: unknown
  /** The agent has opened a session at least once. */
  opened: boolean
  /** Why the agent never came up. */
  failure: string | undefined
  /** Counts what the agent was used for. */
  activity: number
}

/** Brings the clients of a task and its one agent together: what each event means. */
export const make = (
  context: Context,
  memory: Memory,
  parts: {
    readonly turns: Turns
    readonly permissions: PendingRequests
    readonly artifacts: SessionArtifacts
    readonly toolCalls: ToolCalls
  }
): ((event: SandboxEvent) => void) => {
  const { taskId, options, unitOfWork, subscribers, host, folder, fork, offer, status, notice } = context
  const { turns, permissions, artifacts, toolCalls } = parts

  const reply = (subscriber: Subscriber, message: JsonRpc.Success | JsonRpc.Failure) =>
    unitOfWork.afterwards(() => subscribers.send(subscriber, message))
  const refuse = (subscriber: Subscriber, id: JsonRpc.Id, code: number, message: string) =>
    reply(subscriber, JsonRpc.failure(id, new JsonRpc.RpcError({ code, message })))

  /** Ends the agent when it has not been used again for a while. */
  const restLater = () => {
    const activity = (memory.activity += 1)
    fork(Effect.sleep(options.agentIdle).pipe(Effect.andThen(() => offer({ _tag: "AgentUnused", activity }))))
  }

  const initialize = (subscriber: Subscriber, id: JsonRpc.Id, params: unknown) => {
    if (typeof field(params, "protocolVersion") !== "number") {
      return refuse(subscriber, id, JsonRpc.ErrorCode.invalidParams, "protocolVersion must be a number")
    }
    subscriber.forms = isRecord(field(field(field(params, "clientCapabilities"), "elicitation"), "form"))
    const answer = () =>
      offer({ _tag: "Reply", subscriber, message: JsonRpc.success(id, initialized(memory.agentInfo)) })
    if (memory.agentInfo !== undefined || memory.failure !== undefined) return answer()
    // Without an agent the history can still be read; the next prompt tells why it does not start.
    fork(
      host.ready.pipe(
        Effect.catchAll((failure) => Effect.logWarning("the agent did not start", failure.message)),
        Effect.andThen(answer)
      )
    )
  }

  /** Makes a connection that has not loaded the session hear it from now on. */
  const follow = (subscriber: Subscriber) =>
    unitOfWork.afterwards(() => {
      if (subscriber.mode !== "outside") return
      subscribers.follow(subscriber)
      offer({ _tag: "CaughtUp", subscriber })
    })

  /** What the agent told about its session; the session's id towards clients is the task's. */
  const session = () => {
    const { sessionId: _, ...session } = isRecord(memory.sessionInfo) ? memory.sessionInfo : {}
    return session
  }

  const load = (subscriber: Subscriber, id: JsonRpc.Id) => {
    // A prompt that has arrived is in the history that is told after it: whoever misses it there sends it again.
    const undecided = turns.undecided()
    if (undecided !== undefined) {
      return fork(Effect.map(undecided, () => offer({ _tag: "HistoryAsked", subscriber, id })))
    }
    Metrics.replayed()
    const response = JsonRpc.success(id, session())
    unitOfWork.afterwards(() =>
      fork(subscribers.replay(subscriber, response).pipe(Effect.andThen(() => offer({ _tag: "CaughtUp", subscriber }))))
    )
  }

  const tooMuch = (subscriber: Subscriber, id: JsonRpc.Id, what: string) =>
    refuse(
      subscriber,
      id,
      busy,
      `Too ${what} of this session wait for the agent already. Nothing was done: try again later.`
    )

  const prompt = (subscriber: Subscriber, id: JsonRpc.Id, params: unknown, size: number) => {
    const blocks = PromptBlocks.parse(field(params, "prompt"))
    if (blocks === undefined) {
      return refuse(subscriber, id, JsonRpc.ErrorCode.invalidParams, "prompt must be a list of content blocks")
    }
    if (memory.failure !== undefined) {
      return refuse(subscriber, id, JsonRpc.ErrorCode.internalError, memory.failure)
    }
    const capabilities = field(field(memory.agentInfo, "agentCapabilities"), "promptCapabilities")
    const refused = memory.agentInfo === undefined ? undefined : PromptBlocks.unsupported(blocks, capabilities)
    if (refused !== undefined) {
      const message = `This agent does not take content of the type "${refused}". Nothing was sent to it.`
      return refuse(subscriber, id, JsonRpc.ErrorCode.invalidParams, message)
    }
    if (!turns.prompt(blocks, size, { subscriber, id })) return tooMuch(subscriber, id, "many or too large prompts")
    follow(subscriber)
    memory.activity += 1
  }

  /** What the agent is working on beside its turn, of all connections. */
  const atAgent = { count: 0, bytes: 0 }

  const forward = (subscriber: Subscriber, { id, method, params }: JsonRpc.Request, size: number) => {
    if (atAgent.count >= mostWaiting.count || atAgent.bytes + size > mostWaiting.bytes) {
      return tooMuch(subscriber, id, "many or too large requests")
    }
    atAgent.count += 1
    atAgent.bytes += size
    memory.activity += 1
    const withdrawn = Deferred.unsafeMake<never, JsonRpc.RpcError>(FiberId.none)
    const forwarded = { size, withdrawn }
    subscriber.forwarded.set(id, forwarded)
    fork(
      host.call(method, isRecord(params) ? params : {}).pipe(
        Effect.raceFirst(Deferred.await(withdrawn)),
        Effect.match({
          onSuccess: (result) => JsonRpc.success(id, result),
          onFailure: (error) =>
            JsonRpc.failure(id, error._tag === "AgentFailure" ? AgentFailure.toRpcError(error) : error)
        }),
        Effect.map((message) => {
          if (subscriber.forwarded.get(id) === forwarded) subscriber.forwarded.delete(id)
          offer({ _tag: "Reply", subscriber, message })
        }),
        Effect.ensuring(
          Effect.sync(() => {
            atAgent.count -= 1
            atAgent.bytes -= size
          })
        )
      )
    )
  }

  const takeBack = ({ withdrawn }: Forwarded) =>
    Deferred.unsafeDone(withdrawn, Effect.fail(JsonRpc.RpcError.cancelled()))

  const withdraw = (subscriber: Subscriber, requestId: unknown) => {
    for (const [id, forwarded] of subscriber.forwarded) if (id === requestId) return takeBack(forwarded)
    turns.withdraw(subscriber, requestId)
  }

  const request = (subscriber: Subscriber, message: JsonRpc.Request, size: number) => {
    const { id, method, params } = message
    if (typeof id === "string" && id.length > longestId) {
      return refuse(subscriber, id, JsonRpc.ErrorCode.invalidRequest, `An id has at most ${longestId} characters`)
    }
    if (!isNew(subscriber, id)) return
    if (method === "initialize") return initialize(subscriber, id, params)
    if (method === "session/list") {
      return reply(subscriber, JsonRpc.success(id, { sessions: [{ sessionId: taskId, cwd: sessionCwd }] }))
    }
    if (method === "session/new") {
      // A sandbox has one session; who asks for a new one gets it without what was said before.
      reply(subscriber, JsonRpc.success(id, { ...session(), sessionId: taskId }))
      return follow(subscriber)
    }
    if (!Object.hasOwn(sessionMethods, method)) {
      return reply(subscriber, JsonRpc.failure(id, JsonRpc.RpcError.methodNotFound(method)))
    }
    if (field(params, "sessionId") !== taskId) {
      return refuse(subscriber, id, JsonRpc.ErrorCode.resourceNotFound, "There is no such session in this sandbox")
    }
    if (method === "session/load") return load(subscriber, id)
    if (method === "session/prompt") return prompt(subscriber, id, params, size)
    return forward(subscriber, message, size)
  }

  const received = (subscriber: Subscriber, message: JsonRpc.Message, size: number) => {
    if (JsonRpc.isResponse(message)) {
      // It could wait for long in the agent's input; no answer of a person is so large.
      if (size > largestAnswer) return
      if (permissions.answered(subscriber, message) === "refused by all") notice(unshown)
      return followPermissions()
    }
    if (JsonRpc.isRequest(message)) return request(subscriber, message, size)
    if (message.method === "session/cancel" && field(message.params, "sessionId") === taskId) {
      turns.cancel()
      return permissions.cancelAll()
    }
    if (message.method === "$/cancel_request") withdraw(subscriber, field(message.params, "requestId"))
  }

  /** How far the running turn is: an agent that begins with a plan is planning until it acts or speaks. */
  let stage: "none" | "begun" | "planning" | "working" = "none"
  const observe = (kind: string | undefined) => {
    if (stage === "begun" && kind === "plan") stage = "planning"
    else if ((stage === "begun" || stage === "planning") && kind !== undefined && acts.has(kind)) stage = "working"
    else return
    followPermissions()
  }

  /** A task is pending exactly while somebody is waited for. */
  const followPermissions = () => {
    if (turns.running()) status(permissions.waiting() ? "pending" : stage === "planning" ? "planning" : "working")
  }

  const agentSaid = (method: string, params: Readonly<Record<string, unknown>>) => {
    turns.heard()
    if (method === "session/update") {
      const update = field(params, "update")
      const kind = stringField(update, "sessionUpdate")
      // The prompt stands in the journal already; some agents repeat it.
      if (kind === "user_message_chunk" && turns.running()) return
      memory.sessionInfo = withUpdate(memory.sessionInfo, kind, update)
      observe(kind)
      unitOfWork.tell(method, { ...params, sessionId: taskId })
      artifacts.updated(update)
      if (kind === "tool_call" || kind === "tool_call_update") toolCalls.told(update)
      if (kind === "tool_call_update") folder.touch()
      return
    }
    if (artifactMethod.test(method)) {
      const problem = artifacts.notified(params)
      if (problem !== undefined) fork(Effect.logWarning("an artifact of the agent was left out", problem))
      return
    }
    // Extensions are for the clients to know; anything else is nothing that an agent may say.
    if (method.startsWith("_")) {
      unitOfWork.tell(method, "sessionId" in params ? { ...params, sessionId: taskId } : params)
    }
  }

  /** Some agents tell of a tool call only when they ask for it: the history must have it where those who are asked see it. */
  const tellToolCall = (toolCall: unknown) => {
    if (!isRecord(toolCall) || stringField(toolCall, "toolCallId") === undefined) return
    unitOfWork.tell("session/update", { sessionId: taskId, update: { ...toolCall, sessionUpdate: "tool_call_update" } })
    toolCalls.told(toolCall)
  }

  return (event) => {
    switch (event._tag) {
      case "Started":
        if (!event.hold) return void turns.prompt(PromptBlocks.text(event.prompt), event.prompt.length, undefined)
        status("idle")
        return fork(
          Effect.catchAll(host.ready, (failure) => Effect.logWarning("the agent did not start", failure.message)).pipe(
            Effect.asVoid
          )
        )
      case "Joined":
        return subscribers.join(event.subscriber)
      case "Left":
        // Nobody hears their answers, and an agent that gives none must not hold them for ever.
        event.subscriber.forwarded.forEach(takeBack)
        return subscribers.leave(event.subscriber)
      case "HistoryAsked":
        return load(event.subscriber, event.id)
      case "CaughtUp":
        return permissions.askLate(event.subscriber)
      case "Received":
        return received(event.subscriber, event.message, event.size)
      case "Reply":
        return reply(event.subscriber, event.message)
      case "AgentOpened": {
        const { agentSessionId, agentInfo, sessionInfo, forgot } = event.opened
        memory.agentInfo = agentInfo
        memory.sessionInfo = sessionInfo
        memory.opened = true
        unitOfWork.write(context.store.saveAgent(taskId, { agentSessionId, agentInfo, sessionInfo }))
        if (forgot) notice(forgotten)
        return restLater()
      }
      case "AgentSaid":
        return agentSaid(event.method, event.params)
      case "PermissionAsked": {
        if (stage === "planning") stage = "working"
        artifacts.asked(event.inputRequest.params)
        tellToolCall(event.inputRequest.params["toolCall"])
        permissions.ask(event.permissionId, event.inputRequest, event.answer)
        const { permissionId } = event
        fork(
          Effect.sleep(options.permission).pipe(
            Effect.andThen(() => offer({ _tag: "PermissionExpired", permissionId }))
          )
        )
        return followPermissions()
      }
      case "PermissionWithdrawn":
        permissions.withdraw(event.permissionId)
        return followPermissions()
      case "PermissionExpired":
        if (permissions.expire(event.permissionId)) notice(unanswered)
        return followPermissions()
      case "FilesChanged":
        return artifacts.files(event.changes)
      case "PlanRead":
        return artifacts.planRead(event.uri, event.text)
      case "LimitReached":
        fork(Effect.annotateLogs(Effect.logWarning("not all artifacts are shown, or not soon", event.kind), { taskId }))
        return notice(event.text, event.kind)
      case "TurnDecided":
        stage = event.refusal === undefined ? "begun" : "none"
        artifacts.turnBegan()
        return turns.decided(event.turn, event.refusal)
      case "CancelOverdue":
        return turns.overdue(event.turn)
      case "TurnEnded":
        stage = "none"
        permissions.cancelAll()
        artifacts.turnEnded(stringField(field(event.outcome, "result"), "stopReason"))
        turns.ended(event.turn, event.outcome)
        return restLater()
      case "AgentUnused":
        if (event.activity === memory.activity && !turns.running()) fork(host.stop)
        return
    }
  }
}

/** The working directory as clients are told it: the sandbox's own, wherever this machine keeps it. */
const sessionCwd = "/"

const sessionMethods: Readonly<Record<string, true>> = {
  "session/load": true,
  "session/prompt": true,
  "session/set_mode": true,
  "session/set_config_option": true
}

/** What an agent does when it no longer only plans. */
const acts: ReadonlySet<string> = new Set(["agent_message_chunk", "tool_call", "tool_call_update"])

const artifactMethod = /^_[^/]+\/artifact$/

/** What the bridge answers to `initialize`: the agent's abilities, as far as they reach through the bridge. */
const initialized = (agentInfo: unknown) => {
  const { image, audio, embeddedContext } = promptCapabilities(agentInfo)
  const info = field(agentInfo, "agentInfo")
  return {
    protocolVersion: 1,
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image, audio, embeddedContext },
      mcpCapabilities: { http: false, sse: false },
      // Nothing resumes a session without its history: a client would miss what was said while it was away.
      sessionCapabilities: { list: {} }
    },
    authMethods: [],
    ...(isRecord(info) ? { agentInfo: info } : {})
  }
}

const promptCapabilities = (agentInfo: unknown) => {
  const told = field(field(agentInfo, "agentCapabilities"), "promptCapabilities")
  const has = (name: string) => field(told, name) === true
  return { image: has("image"), audio: has("audio"), embeddedContext: has("embeddedContext") }
}

/** Keeps what a later `session/load` answers in step with what the agent changed meanwhile. */
const withUpdate = (sessionInfo: unknown, kind: string | undefined, update: unknown): unknown => {
  if (!isRecord(sessionInfo) || !isRecord(update)) return sessionInfo
  if (kind === "config_option_update") return { ...sessionInfo, configOptions: update["configOptions"] }
  const { modes } = sessionInfo
  if (kind === "current_mode_update" && isRecord(modes)) {
    return { ...sessionInfo, modes: { ...modes, currentModeId: update["currentModeId"] } }
  }
  return sessionInfo
}

/** Remembers a request's id; false when it came before on this connection. */
const isNew = ({ requests }: Subscriber, id: JsonRpc.Id): boolean => {
  if (requests.has(id)) return false
  requests.add(id)
  if (requests.size > rememberedRequests) {
    const [oldest] = requests
    if (oldest !== undefined) requests.delete(oldest)
  }
  return true
}

const rememberedRequests = 1000

const largestAnswer = 1024 * 1024

/** Of the ids that are remembered. */
const longestId = 256

/** Of the codes that JSON-RPC leaves to servers. */
const busy = -32004

const forgotten =
  "The agent was started anew and does not remember what was said before. Its files are still there; tell it again what it needs to know."

const unshown = "No connected application could show the question, so it was not allowed."

const unanswered = "Nobody answered the question in time, so it was not allowed."

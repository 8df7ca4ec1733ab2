import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { field, isRecord } from "../../internal/Json.ts"
import * as Metrics from "../../observability/Metrics.ts"
import type { Choices } from "./Choices.ts"
import type { McpServers } from "./McpServers.ts"
import * as AgentFailure from "../agent/AgentFailure.ts"
import * as FileOffers from "./FileOffers.ts"
import type { ForwardedRequests } from "./ForwardedRequests.ts"
import * as PromptBlocks from "./PromptBlocks.ts"
import * as Replies from "./Replies.ts"
import { useAgent, type SessionContext } from "./SessionContext.ts"
import * as SessionInfo from "./SessionInfo.ts"
import type { Subscriber } from "../journal/Subscribers.ts"
import type { Turns } from "./Turns.ts"

/** The requests of clients, by method. */
export interface ClientRequests {
  /** Answers a request that has this many bytes, or hands it to the agent. */
  readonly handle: (subscriber: Subscriber, request: JsonRpc.Request, size: number) => void
  /** Answers `session/load` by a replay of the journal. */
  readonly load: (subscriber: Subscriber, id: JsonRpc.Id) => void
  /** Answers a request to choose a mode, a model or an option. */
  readonly answerChoice: (subscriber: Subscriber, request: JsonRpc.Request, result: unknown) => void
}

export const make = (
  context: SessionContext,
  { choices, mcpServers, turns }: { readonly choices: Choices; readonly mcpServers: McpServers; readonly turns: Turns },
  forwarded: ForwardedRequests
): ClientRequests => {
  const load = loadSession(context, choices, turns)
  const newSession = openSession(context, choices)
  const prompt = promptSession(context, turns)

  return {
    load,
    answerChoice: (subscriber, { id, method }, result) => {
      const answer = isRecord(result) ? result : {}
      const all =
        method === "session/set_config_option"
          ? { configOptions: field(sessionInfoFor(subscriber, choices), "configOptions") ?? [] }
          : {}
      Replies.reply(context, subscriber, JsonRpc.success(id, { ...answer, ...all }))
    },
    handle: (subscriber, request, size) => {
      const { id, method, params } = request
      if (typeof id === "string" && id.length > maxIdLength) {
        const message = `An id has at most ${maxIdLength} characters`
        return Replies.refuse(context, subscriber, id, JsonRpc.ErrorCode.invalidRequest, message)
      }
      if (isRepeated(subscriber, request)) return
      const opening = (open: () => void) => {
        const refusal = mcpServers.take(params)
        if (refusal === undefined) return open()
        return Replies.refuse(context, subscriber, id, JsonRpc.ErrorCode.invalidParams, refusal)
      }
      if (method === "session/new") return opening(() => newSession(subscriber, id))
      const connection = connectionMethods.get(method)
      if (connection !== undefined) return connection(context, subscriber, request)
      const fileRequest = FileOffers.requestOf(context, method)
      if (!sessionMethods.has(method) && fileRequest === undefined) {
        return Replies.reply(context, subscriber, JsonRpc.failure(id, JsonRpc.RpcError.methodNotFound(method)))
      }
      if (field(params, "sessionId") !== context.taskId) {
        const message = "There is no such session in this sandbox"
        return Replies.refuse(context, subscriber, id, JsonRpc.ErrorCode.resourceNotFound, message)
      }
      if (fileRequest !== undefined) return fileRequest(context, subscriber, request)
      if (method === "session/load") return opening(() => load(subscriber, id))
      if (method === "session/prompt") return prompt(subscriber, id, params, size)
      return forwarded.forward(subscriber, request, size)
    }
  }
}

const initialize = (context: SessionContext, subscriber: Subscriber, { id, params }: JsonRpc.Request) => {
  const { fork, host, memory, offer, options, place } = context
  if (typeof field(params, "protocolVersion") !== "number") {
    const message = "protocolVersion must be a number"
    return Replies.refuse(context, subscriber, id, JsonRpc.ErrorCode.invalidParams, message)
  }
  const configOptions = field(field(field(params, "clientCapabilities"), "session"), "configOptions")
  subscriber.knowsSwitches = isRecord(field(configOptions, "boolean"))
  subscriber.showsForms = isRecord(field(field(field(params, "clientCapabilities"), "elicitation"), "form"))
  const answer = (initializeResponse: unknown) => {
    const message = JsonRpc.success(id, SessionInfo.initializeResult(initializeResponse, options.clientMcpServers))
    offer({ _tag: "Reply", subscriber, message })
  }
  // Without an agent the history can still be read; the next prompt waits for it, or tells why it does not start.
  if (memory.initializeResponse !== undefined || memory.failure !== undefined || !place.isFree()) {
    return answer(memory.initializeResponse)
  }
  fork(
    host.ready.pipe(
      Effect.map(({ initializeResponse }) => initializeResponse),
      Effect.catchAll((failure) => Effect.logWarning("the agent did not start", failure.message)),
      Effect.map(answer)
    )
  )
}

/** A sandbox has one session, with the id of its task. */
const listSessions = (context: SessionContext, subscriber: Subscriber, { id }: JsonRpc.Request) =>
  Replies.reply(
    context,
    subscriber,
    JsonRpc.success(id, { sessions: [{ sessionId: context.taskId, cwd: sessionCwd }] })
  )

/** A sandbox has one session: a client that asks for a new one gets it without its history. */
const openSession = (context: SessionContext, choices: Choices) => (subscriber: Subscriber, id: JsonRpc.Id) => {
  const session = { ...sessionInfoFor(subscriber, choices), sessionId: context.taskId }
  Replies.reply(context, subscriber, JsonRpc.success(id, session))
  follow(context, subscriber)
}

const sessionInfoFor = ({ knowsSwitches }: Subscriber, choices: Choices): object =>
  knowsSwitches ? choices.sessionInfo() : SessionInfo.withoutSwitches(choices.sessionInfo())

/** Sends a client that has not loaded the session everything from now on. */
const follow = ({ offer, subscribers, unitOfWork }: SessionContext, subscriber: Subscriber) =>
  unitOfWork.afterCommit(() => {
    if (subscriber.mode !== "unattached") return
    subscribers.follow(subscriber)
    offer({ _tag: "CaughtUp", subscriber })
  })

const loadSession =
  (context: SessionContext, choices: Choices, turns: Turns) => (subscriber: Subscriber, id: JsonRpc.Id) => {
    const { fork, offer, subscribers, unitOfWork } = context
    // A prompt that has arrived is in the history that follows it: a client that misses it there sends it again.
    const undecided = turns.pendingDecision()
    if (undecided !== undefined) {
      return fork(Effect.map(undecided, () => offer({ _tag: "HistoryAsked", subscriber, id })))
    }
    Metrics.countReplay()
    const response = JsonRpc.success(id, sessionInfoFor(subscriber, choices))
    unitOfWork.afterCommit(() =>
      fork(subscribers.replay(subscriber, response).pipe(Effect.andThen(() => offer({ _tag: "CaughtUp", subscriber }))))
    )
  }

const promptSession =
  (context: SessionContext, turns: Turns) =>
  (subscriber: Subscriber, id: JsonRpc.Id, params: unknown, size: number) => {
    const { memory } = context
    const { invalidParams } = JsonRpc.ErrorCode
    const blocks = PromptBlocks.parse(field(params, "prompt"))
    if (blocks === undefined) {
      return Replies.refuse(context, subscriber, id, invalidParams, "prompt must be a list of content blocks")
    }
    if (memory.failure !== undefined) {
      return Replies.reply(context, subscriber, JsonRpc.failure(id, AgentFailure.toRpcError(memory.failure)))
    }
    const problem = PromptBlocks.findProblem(blocks)
    if (problem !== undefined) return Replies.refuse(context, subscriber, id, invalidParams, problem)
    const full = context.historyLimit.refusal()
    if (full !== undefined) {
      return Replies.reply(context, subscriber, JsonRpc.failure(id, AgentFailure.toRpcError(full)))
    }
    if (!turns.prompt({ blocks, meta: field(params, "_meta"), size, requester: { subscriber, id } })) {
      return Replies.refuseBusy(context, subscriber, id, "prompts")
    }
    follow(context, subscriber)
    useAgent(context)
  }

/**
 * Tells whether a request came before on this connection, and remembers it. An id that is used again names a new request
 * once the first one was answered, unless the whole message is the same.
 */
const isRepeated = ({ requests }: Subscriber, request: JsonRpc.Request): boolean => {
  const { id } = request
  const digest = createHash("sha256").update(JSON.stringify(request)).digest("base64")
  const earlier = requests.get(id)
  if (earlier !== undefined && (earlier.isOpen || earlier.digest === digest)) return true
  // The newest request is the last one of the map.
  requests.delete(id)
  requests.set(id, { digest, isOpen: true })
  if (requests.size > maxRemembered) {
    const [oldest] = requests.keys()
    if (oldest !== undefined) requests.delete(oldest)
  }
  return false
}

/** The working directory as clients see it: the sandbox's own, wherever this machine keeps it. */
const sessionCwd = "/"

type Handler = (context: SessionContext, subscriber: Subscriber, request: JsonRpc.Request) => void

/** Methods that name no session. */
const connectionMethods: ReadonlyMap<string, Handler> = new Map([
  ["initialize", initialize],
  ["session/list", listSessions]
])

/** Methods of the sandbox's one session. */
const sessionMethods: ReadonlySet<string> = new Set([
  "session/load",
  "session/prompt",
  "session/set_mode",
  "session/set_model",
  "session/set_config_option"
])

const maxRemembered = 1000

/** Of the ids that are remembered. */
const maxIdLength = 256

import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Effect from "effect/Effect"
import { field } from "../../internal/Json.ts"
import * as Publication from "../files/Publication.ts"
import * as WorkFiles from "../files/WorkFiles.ts"
import type { Subscriber } from "../journal/Subscribers.ts"
import * as Replies from "./Replies.ts"
import type { SandboxEvent, Turn } from "./SandboxEvent.ts"
import type { SessionContext } from "./SessionContext.ts"

/** Publishes the files of a turn where the task always does so; returns what remains to be offered. */
export const atTurnEnd = ({ memory, taskFolder, workFiles }: SessionContext): Effect.Effect<WorkFiles.ChangedFiles> =>
  Effect.gen(function* () {
    const changed = yield* workFiles.endTurn
    if (!memory.postsFiles) return changed
    const results = yield* Publication.publish(
      taskFolder,
      changed.files.map(({ path }) => path)
    )
    const failed = new Set(results.filter((result) => "problem" in result).map(({ path }) => path))
    return { ...changed, files: changed.files.filter(({ path }) => failed.has(path)) }
  })

/**
 * Makes what follows an agent that works on after its turn: when it has been quiet for a while, its files are offered
 * under an id of their own.
 */
export const makeAfterTurn = (context: SessionContext, isRunning: () => boolean): (() => void) => {
  const { fork, offer } = context
  let updates = 0
  return () => {
    if (isRunning()) return
    const update = ++updates
    const offerFiles = Effect.suspend(() =>
      update !== updates || isRunning()
        ? Effect.void
        : Effect.map(atTurnEnd(context), (files) => offer({ _tag: "WorkedOn", files }))
    )
    fork(Effect.zipRight(Effect.sleep(quietTime), offerFiles))
  }
}

const quietTime = "1500 millis"

/** Tells all clients which files a turn created or changed (contract decision 121). */
export const announce = (
  { memory, options, taskId, unitOfWork }: SessionContext,
  { messageId }: Pick<Turn, "messageId">,
  changed: WorkFiles.ChangedFiles
): void => {
  if (changed.files.length + changed.more === 0) return
  const params = { sessionId: taskId, messageId, ...changed, always: memory.postsFiles }
  unitOfWork.publish(`${options.extensionPrefix}/files`, params)
}

/** Answers a request about files; undefined for other methods. */
export const requestOf = (context: SessionContext, method: string): Handler | undefined => {
  const { extensionPrefix } = context.options
  if (method === `${extensionPrefix}/files/publish`) return publish
  return method === `${extensionPrefix}/files/always` ? setAlways : undefined
}

type Handler = (context: SessionContext, subscriber: Subscriber, request: JsonRpc.Request) => void

const publish: Handler = (context, subscriber, { id, params }) => {
  const { folder, fork, offer, taskFolder } = context
  const paths = field(params, "paths")
  if (!isPaths(paths)) return refuse(context, subscriber, id, `paths must be 1 to ${WorkFiles.maxNamed} paths of files`)
  fork(
    Effect.gen(function* () {
      const files = yield* Publication.publish(taskFolder, [...new Set(paths)])
      // Every client has the artifacts before the answer.
      yield* folder.scan
      const message = JsonRpc.success(id, { files })
      offer({ _tag: "Reply", subscriber, message } satisfies SandboxEvent)
    })
  )
}

const setAlways: Handler = (context, subscriber, { id, params }) => {
  const { memory, store, taskId, unitOfWork } = context
  const always = field(params, "always")
  if (typeof always !== "boolean") return refuse(context, subscriber, id, "always must be true or false")
  memory.postsFiles = always
  unitOfWork.write(store.savePostsFiles(taskId, always))
  Replies.reply(context, subscriber, JsonRpc.success(id, { always }))
}

const isPaths = (paths: unknown): paths is ReadonlyArray<string> =>
  Array.isArray(paths) &&
  paths.length > 0 &&
  paths.length <= WorkFiles.maxNamed &&
  paths.every((path) => typeof path === "string" && path.length <= maxPathLength)

const refuse = (context: SessionContext, subscriber: Subscriber, id: JsonRpc.Id, message: string) =>
  Replies.refuse(context, subscriber, id, JsonRpc.ErrorCode.invalidParams, message)

const maxPathLength = 4096

import * as AcpSession from "@heddle/acp/AcpSession"
import * as Permission from "@heddle/acp/Permission"
import type { SessionState } from "@heddle/acp/SessionState"
import * as Ticket from "@heddle/acp/Ticket"
import { Accounts } from "@heddle/server/accounts/Accounts"
import * as Administration from "@heddle/server/Administration"
import { Applications } from "@heddle/server/oauth/Applications"
import * as Server from "@heddle/server/Server"
import type { ServerOptions } from "@heddle/server/config/ServerOptions"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Path from "node:path"
import { Client, type Loose } from "../../sandbox/support/client.ts"
import { temporary } from "../../sandbox/support/service.ts"
import * as TestServer from "../../support/TestServer.ts"

/** The whole service over one data folder, to stop and to start again at the same address. */
export const make = Effect.fn(function* (options: Partial<ServerOptions>) {
  const dataDir = temporary()
  let port = 0
  let scope: Scope.CloseableScope | undefined
  const startWith = Effect.fnUntraced(function* (changes: Partial<ServerOptions>) {
    scope = yield* Scope.make()
    const { url } = yield* Scope.extend(Server.start({ ...options, ...changes, port, dataDir }), scope)
    port = Number(new URL(url).port)
  })
  const start = startWith({})
  const stop = Effect.suspend(() => (scope === undefined ? Effect.void : Scope.close(scope, Exit.void)))
  yield* start
  yield* Effect.addFinalizer(() => stop)
  const token = yield* Effect.gen(function* () {
    const { clientId } = yield* (yield* Applications).create({ name: "Loom", redirectUris: [TestServer.redirectUri] })
    const { userId } = yield* (yield* Accounts).create({ name: "Ada", credits: 100 })
    return yield* TestServer.grant(dataDir, clientId, userId)
  }).pipe(Effect.provide(Administration.layer(dataDir)))

  const api = (path: string, body?: object) =>
    Effect.promise(async (): Promise<Loose> => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return response.json()
    })

  const linkOf = (taskId: string) =>
    api(`/openapi/v2/tasks/${taskId}`).pipe(Effect.repeat({ until: ({ link }) => link !== undefined }))

  return {
    start,
    /** Starts it with other options. */
    startWith,
    stop,
    api,
    dataDir,
    /** Chooses a mode of the agent, as a client of its own. */
    setMode: (taskId: string, modeId: string) =>
      Effect.flatMap(linkOf(taskId), ({ link, token }) =>
        Effect.promise(async () => {
          const client = await Client.loaded({ taskId, link, token, sandboxUrl: "", folder: "" })
          const { error } = await client.request("session/set_mode", { sessionId: taskId, modeId })
          client.cut()
          if (error !== undefined) throw new Error(`the mode ${modeId} was refused: ${error.message}`)
        })
      ),
    /** Creates a task that waits for its prompt. */
    task: Effect.map(api("/openapi/v2/tasks", { prompt: "later", initial_prompt: "hold" }), ({ task_id }) => ({
      taskId: String(task_id),
      folder: Path.join(dataDir, "sandboxes", String(task_id)),
      status: Effect.map(api(`/openapi/v2/tasks/${task_id}`), ({ status }) => String(status))
    })),
    /** Opens a session of a task with the client package; permission requests are answered as `decide` says. */
    attach: Effect.fn(function* (taskId: string, decide: () => "allow_once" | "reject_once") {
      const ticket = yield* Ticket.make(
        Effect.map(linkOf(taskId), ({ link, token, expire_at }) => ({
          link: String(link),
          token: Redacted.make(String(token)),
          expireAt: Number(expire_at)
        }))
      )
      const session = yield* AcpSession.open({ sessionId: taskId, ticket })
      const asked: Array<Permission.PermissionRequest> = []
      yield* session.changes.pipe(
        Stream.runForEach((event) => {
          if (event._tag !== "PermissionRequested") return Effect.void
          asked.push(event.permission)
          const option = event.permission.options.find(({ kind }) => kind === decide())
          return session.answerPermission(event.permission.requestId, Permission.selected(option?.optionId ?? "none"))
        }),
        Effect.forkScoped
      )
      return {
        ...session,
        asked,
        /** Waits until the state is so. */
        until: (fits: (state: SessionState) => boolean) =>
          session.changes.pipe(
            Stream.filter((event) => event._tag === "StateChanged" && fits(event.state)),
            Stream.runHead
          )
      }
    })
  }
})

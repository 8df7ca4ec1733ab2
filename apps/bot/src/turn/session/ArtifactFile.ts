import type * as HttpClient from "@effect/platform/HttpClient"
import * as Ticket from "@heddle/acp/Ticket"
import * as Artifacts from "@heddle/artifacts/Artifacts"
import { TaskId } from "@heddle/core/domain/Task"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { Accounts } from "../../access/Accounts.ts"
import type { Thread } from "../../store/Threads.ts"

/** The task does not hand the file out: it is not there any more, or the service is away. */
export class FileAway extends Data.TaggedError("FileAway")<{ readonly message: string }> {}

/** Finds a file of a thread's task as its owner; its bytes come as they are read. */
export const open = Effect.fn("ArtifactFile.open")(
  function* (
    { ownerId, taskId }: Pick<Thread, "ownerId" | "taskId">,
    uri: string,
    maxBytes: number
  ): Effect.fn.Return<Stream.Stream<Uint8Array, Artifacts.DownloadError>, FileAway, Accounts | HttpClient.HttpClient> {
    const service = yield* (yield* Accounts).use(ownerId, Effect.succeed)
    const ticket = yield* Ticket.fromChannel(service.tasks.awaitChannel(TaskId.make(taskId)))
    const artifacts = yield* Effect.provideService(Artifacts.make, Ticket.Ticket, ticket)
    const all = yield* Effect.mapError(artifacts.listAll({ sessionId: taskId, type: "media" }), away)
    const entry = all.find(({ artifact, deleted }) => artifact.uri === uri && !deleted)
    if (entry === undefined) return yield* new FileAway({ message: "the task does not list it" })
    return artifacts.download(entry, { maxBytes })
  },
  Effect.timeoutFail({ duration: "20 seconds", onTimeout: () => new FileAway({ message: "no answer came in time" }) })
)

const away = ({ message }: { readonly message: string }) => new FileAway({ message })

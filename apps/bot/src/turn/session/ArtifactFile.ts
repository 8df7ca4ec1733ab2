import type * as HttpClient from "@effect/platform/HttpClient"
import * as Ticket from "@heddle/acp/Ticket"
import * as Artifacts from "@heddle/artifacts/Artifacts"
import { TaskId } from "@heddle/core/domain/Task"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { Accounts } from "../../access/Accounts.ts"
import type { Thread } from "../../store/Threads.ts"
import * as PrivateNetwork from "./files/PrivateNetwork.ts"

/** The file is not in the task any more, or the service is unavailable. */
export class FileUnavailable extends Data.TaggedError("FileUnavailable")<{ readonly message: string }> {}

/** Finds a file of a thread's task as its owner; its bytes come as they are read. */
export const open = Effect.fn("ArtifactFile.open")(
  function* (
    { ownerId, taskId }: Pick<Thread, "ownerId" | "taskId">,
    uri: string,
    maxBytes: number
  ): Effect.fn.Return<
    Stream.Stream<Uint8Array, Artifacts.DownloadError>,
    FileUnavailable,
    Accounts | HttpClient.HttpClient
  > {
    const service = yield* (yield* Accounts).use(ownerId, Effect.succeed)
    const ticket = yield* service.taskReader.ticket(TaskId.make(taskId))
    const artifacts = yield* Effect.provideService(Artifacts.make, Ticket.Ticket, ticket)
    const entries = yield* Effect.mapError(artifacts.listAll({ sessionId: taskId }), toUnavailable)
    const entry = entries.find(({ artifact, deleted }) => artifact.uri === uri && !deleted)
    if (entry === undefined) return yield* new FileUnavailable({ message: "the task does not list it" })
    return artifacts.download(entry, { maxBytes, otherServers: PrivateNetwork.otherServers })
  },
  Effect.timeoutFail({
    duration: "20 seconds",
    onTimeout: () => new FileUnavailable({ message: "no answer came in time" })
  })
)

const toUnavailable = ({ message }: { readonly message: string }) => new FileUnavailable({ message })

import { randomUUID } from "node:crypto"
import type { ContentBlock } from "../acp/Journal.ts"
import { Session } from "../acp/Session.ts"
import type { Person } from "../person/Person.ts"
import type { RoundEnd } from "../rounds/Round.ts"
import { type RoundContext, Rounds } from "../rounds/Rounds.ts"
import { type Artifact, type ArtifactEvent, Artifacts } from "./Artifacts.ts"
import type { TaskStatus } from "./TaskStatus.ts"
import { Tickets } from "./Tickets.ts"

/** A task with its session, artifacts and tokens (2.7, 3). */
export class Task {
  readonly id = randomUUID()
  readonly person: Person
  readonly prompt: string
  readonly name: string
  readonly session: Session
  readonly artifacts = new Artifacts()
  readonly tickets: Tickets
  readonly rounds: Rounds
  readonly createdAt = Date.now()
  updatedAt = this.createdAt
  readonly #context: RoundContext
  #status: TaskStatus = "CREATING"
  #creation: NodeJS.Timeout | undefined

  constructor(context: RoundContext, person: Person, prompt: string, name: string | undefined) {
    this.#context = context
    this.person = person
    this.prompt = prompt
    this.name = name ?? [...(prompt.trim().split("\n")[0] ?? "")].slice(0, 40).join("")
    this.session = new Session(this.id, context.readings)
    this.tickets = new Tickets(context.readings)
    this.rounds = new Rounds(context, this)
  }

  get status(): TaskStatus {
    return this.#status
  }

  /** Whether it has a sandbox, and so a link and a token. */
  get reachable(): boolean {
    return !["CREATING", "archived", "deleted"].includes(this.#status)
  }

  /** Creates the sandbox, then runs the prompt as the first round, if it runs by itself (4.9). */
  create(): void {
    if (this.#status !== "CREATING") return
    clearTimeout(this.#creation)
    const { creatingMs, firstPrompt, laterMs } = this.#context.readings()
    const run = (): void => void this.run([{ type: "text", text: this.prompt }])
    const created = (): void => {
      if (firstPrompt === "runs") return run()
      this.setStatus("idle")
      if (firstPrompt === "runsLater") this.#creation = setTimeout(run, laterMs).unref()
    }
    if (creatingMs > 0) this.#creation = setTimeout(created, creatingMs).unref()
    else created()
  }

  /** Stops the creation, which `create` begins anew; running rounds go on or fail. */
  pause(): void {
    clearTimeout(this.#creation)
    if (this.#context.readings().roundsAtRestart === "fail") this.rounds.abort("restart")
  }

  async run(blocks: ReadonlyArray<ContentBlock>): Promise<RoundEnd> {
    this.setStatus("working")
    const end = await this.rounds.run(blocks)
    if (this.reachable) this.setStatus("failed" in end ? "failed" : this.#context.readings().restStatus)
    return end
  }

  /** Sets any status; an archived or deleted task loses its sandbox. */
  setStatus(status: TaskStatus): void {
    this.#status = status
    this.updatedAt = Date.now()
    if (status !== "archived" && status !== "deleted") return
    clearTimeout(this.#creation)
    this.rounds.abort("cancel")
    this.session.close("end")
  }

  asks(waits: boolean): void {
    if (this.rounds.running && this.reachable) this.setStatus(waits ? this.#context.readings().askStatus : "working")
  }

  /** Stores an artifact, then pushes it (6). */
  putArtifact(event: ArtifactEvent, artifact: Artifact, bytes?: Uint8Array): void {
    const stored = this.artifacts.put(event, artifact, bytes)
    const wire = Artifacts.wire(stored.artifact, this.#context.readings().int64)
    this.session.notify("_vendor.ai/artifact", { sessionId: this.id, event, artifact: wire })
  }
}

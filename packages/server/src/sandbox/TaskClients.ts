import type { TaskId } from "@heddle/core/domain/Task"
import type { Channel } from "./channel/Channel.ts"
import type { ClientConnection } from "./Sandbox.ts"
import type { Journal } from "./journal/Journal.ts"
import * as Subscribers from "./journal/Subscribers.ts"
import type { SandboxEvent } from "./session/SandboxEvent.ts"

/** The clients that are connected to this process, of all tasks. */
export class AllClients {
  private readonly byTask = new Map<TaskId, TaskClients>()
  readonly journal: Journal["Type"]
  readonly load: (taskId: TaskId) => void

  /** `load` loads the sandbox of a task for a message of a client. */
  constructor(journal: Journal["Type"], load: (taskId: TaskId) => void) {
    this.journal = journal
    this.load = load
  }

  readonly taskIds = (): ReadonlyArray<TaskId> => [...this.byTask.keys()]

  /** The clients of a task, kept as long as there is one or the sandbox is loaded. */
  of(taskId: TaskId): TaskClients {
    let clients = this.byTask.get(taskId)
    if (clients === undefined) this.byTask.set(taskId, (clients = new TaskClients(taskId, this)))
    return clients
  }

  forget(taskId: TaskId): void {
    this.byTask.delete(taskId)
  }
}

/** The clients of one task, which stay connected while its sandbox is unloaded. */
export class TaskClients {
  readonly subscribers: Subscribers.Subscribers
  /** Takes the events of the loaded sandbox. */
  private offer: ((event: SandboxEvent) => void) | undefined
  /** Events that wait for the sandbox while it is being loaded, in their order. */
  private waiting: Waiting | undefined
  private readonly taskId: TaskId
  private readonly all: AllClients

  constructor(taskId: TaskId, all: AllClients) {
    this.taskId = taskId
    this.all = all
    this.subscribers = Subscribers.make(taskId, all.journal, 0)
  }

  /** Adds a connection; its messages load the sandbox where necessary. */
  join(channel: Channel): ClientConnection {
    const subscriber = Subscribers.makeSubscriber(channel)
    this.subscribers.join(subscriber)
    return new Connection(this, subscriber)
  }

  /** Hands an event to the sandbox as soon as that is loaded. */
  handle(event: SandboxEvent): void {
    if (this.offer !== undefined) return this.offer(event)
    if (this.waiting !== undefined) return wait(this.waiting, event)
    if (event._tag !== "Left") {
      wait(this.expect(), event)
      return this.all.load(this.taskId)
    }
    this.subscribers.leave(event.subscriber)
    this.forgetUnused()
  }

  /** The sandbox is being loaded. */
  expect(): Waiting {
    return (this.waiting ??= { events: [], bytes: 0 })
  }

  /** The sandbox is loaded: it gets the events that waited, and those that follow. */
  connect(offer: (event: SandboxEvent) => void): void {
    this.offer = offer
    for (const event of this.waiting?.events ?? []) offer(event)
    this.waiting = undefined
  }

  /** The sandbox is unloaded; the next message loads it again. */
  disconnect(): void {
    this.offer = undefined
    this.forgetUnused()
  }

  /** The sandbox cannot be loaded. */
  abandon(): void {
    this.waiting = undefined
    this.close()
  }

  /** Closes all connections, because the sandbox has ended. */
  close(): void {
    this.offer = undefined
    if (this.waiting !== undefined) this.waiting = { events: [], bytes: 0 }
    for (const subscriber of this.subscribers.all) {
      // Nothing handles the end of a connection that closed just before.
      this.subscribers.leave(subscriber)
      subscriber.channel.close()
    }
    this.forgetUnused()
  }

  private forgetUnused() {
    const isUnused = this.offer === undefined && this.waiting === undefined && this.subscribers.all.size === 0
    if (isUnused) this.all.forget(this.taskId)
  }
}

/** Events that wait, and the size of their messages. */
interface Waiting {
  readonly events: Array<SandboxEvent>
  bytes: number
}

const wait = (waiting: Waiting, event: SandboxEvent): void => {
  if (event._tag === "Received") {
    // A client must not fill the memory while the sandbox is loaded.
    if (waiting.bytes > maxWaitingBytes) return event.subscriber.channel.close()
    waiting.bytes += event.size
  }
  waiting.events.push(event)
}

const maxWaitingBytes = 32 * 1024 * 1024

class Connection implements ClientConnection {
  private readonly clients: TaskClients
  private readonly subscriber: Subscribers.Subscriber

  constructor(clients: TaskClients, subscriber: Subscribers.Subscriber) {
    this.clients = clients
    this.subscriber = subscriber
  }

  receive(message: Parameters<ClientConnection["receive"]>[0], size: number): void {
    this.clients.handle({ _tag: "Received", subscriber: this.subscriber, message, size })
  }

  leave(): void {
    this.clients.handle({ _tag: "Left", subscriber: this.subscriber })
  }
}

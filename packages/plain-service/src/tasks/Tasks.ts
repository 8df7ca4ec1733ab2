import { Refusal } from "../http/Refusal.ts"
import type { Person } from "../person/Person.ts"
import type { RoundContext } from "../rounds/Rounds.ts"
import { Task } from "./Task.ts"

const maximumTasks = 10_000

/** All tasks, oldest first. */
export class Tasks {
  readonly #context: RoundContext
  readonly #tasks = new Map<string, Task>()

  constructor(context: RoundContext) {
    this.#context = context
  }

  create(person: Person, prompt: string, name: string | undefined): Task {
    if (this.#tasks.size >= maximumTasks) throw Refusal.api(503, "server_error", "there are too many tasks")
    const task = new Task(this.#context, person, prompt, name)
    this.#tasks.set(task.id, task)
    task.create()
    return task
  }

  all(): ReadonlyArray<Task> {
    return [...this.#tasks.values()]
  }

  find(id: string): Task | undefined {
    return this.#tasks.get(id)
  }

  pause(): void {
    for (const task of this.#tasks.values()) task.pause()
  }

  resume(): void {
    for (const task of this.#tasks.values()) task.create()
  }
}

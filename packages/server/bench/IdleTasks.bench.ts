import type { Task } from "./ChannelClient.ts"
import type { UseRun } from "./UseLoad.ts"

interface Program<Ready> {
  readonly ready: Ready
  /** Resident memory as it is, in bytes. */
  readonly resident: () => Promise<number>
  /** Resident memory after a collection. */
  readonly memory: () => Promise<number>
  /** What objects take after a collection. */
  readonly objects: () => Promise<number>
  readonly run: (run: UseRun) => Promise<unknown>
}

interface Tools {
  readonly start: (program: ReadonlyArray<string>, name: string) => Promise<Program<never>>
  readonly smoke: boolean
  readonly log: (line: string) => void
}

const what = "memory of a service with 1,000 tasks of one user that were used once each"

/** Each task gets a message, and its client leaves. The agents of the last ones still rest at the end. */
export const bench = {
  name: "idle-tasks",
  what,
  variants: { "heddle-server": ["HeddleChannel.js"] },
  cases: { tasks: 1000 },
  baseline: "heddle-server",
  /** Takes some minutes, so it runs only by name. */
  onlyByName: true,

  run: (tools: Tools) => run(tools),
  table: (results: Results) => table(results)
}

const run = async ({ log, smoke, start }: Tools) => {
  const service: Program<{ readonly tasks: ReadonlyArray<Task> }> = await start(["HeddleChannel.js"], "service")
  const person: Program<object> = await start(["UseLoad.js"], "person")
  const tasks = smoke ? service.ready.tasks.slice(0, 10) : service.ready.tasks
  const before = { collected: await service.memory(), objects: await service.objects() }
  const began = performance.now()
  for (let from = 0; from < tasks.length; from += slice) {
    await person.run({ tasks: tasks.slice(from, from + slice) })
    log(`idle-tasks: ${Math.min(from + slice, tasks.length)} tasks were used …`)
  }
  const seconds = (performance.now() - began) / 1000
  const used = await service.resident()
  if (!smoke) await new Promise((resolve) => setTimeout(resolve, idleMillis))
  const resident = await service.resident()
  const idle = { resident, collected: await service.memory(), objects: await service.objects() }
  return { name: "idle-tasks", what, tasks: tasks.length, seconds, before, used, idle }
}

type Results = Awaited<ReturnType<typeof run>>

const table = ({ before, idle, seconds, tasks, used }: Results): string =>
  [
    `idle-tasks: ${what}`,
    "",
    `  ${tasks} tasks, used within ${seconds.toFixed(0)} s`,
    `  before: ${mega(before.collected)} MB after a collection, objects ${mega(before.objects)} MB`,
    `  after the last one: ${mega(used)} MB`,
    `  idle: ${mega(idle.resident)} MB, ${mega(idle.collected)} MB after a collection, objects ${mega(idle.objects)} MB`,
    ""
  ].join("\n")

const mega = (bytes: number): string => (bytes / 2 ** 20).toFixed(0)

/** The tasks of one run, which has to end within a minute. */
const slice = 50

const idleMillis = 70_000

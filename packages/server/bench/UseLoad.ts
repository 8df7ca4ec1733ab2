import { connect, type Task } from "./ChannelClient.ts"
import { answerRuns } from "./Runs.ts"

/** The tasks that a run uses once each. */
export interface UseRun {
  readonly tasks: ReadonlyArray<Task>
}

/** A person who sends one message in a task, reads the answer and leaves. */
const use = async (task: Task) => {
  const { close, post, waitFor } = await connect(task)
  await post("session/prompt", { sessionId: task.taskId, prompt: [{ type: "text", text: "1" }] })
  // After the responses to initialize and load: the prompt, the update and the end of the turn.
  await waitFor(5)
  await close()
}

answerRuns(async ({ tasks }: UseRun): Promise<number> => {
  const left = [...tasks]
  const worker = async () => {
    for (let task = left.pop(); task !== undefined; task = left.pop()) await use(task)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  return tasks.length
})

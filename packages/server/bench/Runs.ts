/** Tells the benchmark that this program is ready, and answers each of its runs with the result. */
export const answerRuns = <Run>(run: (order: Run) => Promise<number>): void => {
  process.on("message", async (message: { readonly run?: Run }) => {
    if (message.run !== undefined) process.send?.({ done: await run(message.run) })
  })
  process.send?.({ ready: {} })
}

import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"

/** A program that is killed and started again; `ready` reads what it says when it is ready. */
export const mortal = <A>(file: string, args: ReadonlyArray<string>, env: Record<string, string>) => {
  let child: ChildProcess | undefined
  let ended: Promise<unknown> = Promise.resolve()
  let asked = 0
  let errors = ""
  const start = async (): Promise<A> => {
    const started = fork(file, [...args], {
      env: { PATH: process.env["PATH"] ?? "", ...env },
      stdio: ["ignore", "pipe", "pipe", "ipc"]
    })
    child = started
    ended = once(started, "close")
    started.stderr?.on("data", (piece) => (errors = (errors + String(piece)).slice(-4000)))
    return new Promise<A>((resolve, reject) => {
      started.stdout?.on("data", (line) => {
        if (String(line).startsWith("{")) resolve(JSON.parse(String(line)) as A)
      })
      started.on("message", (message: { readonly ready?: A }) => {
        if (message.ready !== undefined) resolve(message.ready)
      })
      started.once("close", () => reject(new Error(`it ended before it was ready: ${errors}`)))
    })
  }
  return {
    start,
    kill: async () => {
      child?.kill("SIGKILL")
      await ended
    },
    /** Asks the program to act; fails where it is killed before it has answered. */
    act: <R>(act: string, ...values: ReadonlyArray<string>): Promise<R> =>
      new Promise((resolve, reject) => {
        const id = asked++
        const current = child
        const killed = () => reject(new Error("killed"))
        const listener = (message: { readonly id?: number; readonly result?: R; readonly error?: string }) => {
          if (message.id !== id) return
          current?.off("message", listener).off("close", killed)
          if (message.error === undefined) resolve(message.result as R)
          else reject(new Error(message.error))
        }
        current?.on("message", listener).once("close", killed)
        if (current?.connected !== true) return reject(new Error("not running"))
        current.send({ id, act, values }, (error) => error !== null && reject(error))
      })
  }
}

// Starts the programs of a benchmark, each in its own process, and talks to them.
import { fork } from "node:child_process"
import { once } from "node:events"
import { closeSync, openSync, readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

/** Gives `use` a function that starts programs beside a benchmark's file; all are stopped afterwards. */
export const withPrograms = async (file, use) => {
  const folder = await mkdtemp(join(tmpdir(), "heddle-bench-"))
  const programs = new Set()
  const begin = async (program, name) => {
    const started = await start(program, { beside: dirname(file), folder, name })
    programs.add(started)
    const stop = () => (programs.delete(started) ? started.stop() : undefined)
    return { ...started, stop }
  }
  try {
    return await use(begin)
  } finally {
    await Promise.all([...programs].map((program) => program.stop()))
    await rm(folder, { recursive: true, force: true })
  }
}

/** Starts `[file, ...args]`, a program beside the benchmark's module, and waits until it says that it is ready. */
const start = async ([file, ...args], { beside, folder, name }) => {
  const log = join(folder, `${name.replace(/\W+/g, "-")}.log`)
  const err = openSync(log, "a", 0o600)
  const child = fork(join(beside, file), args, {
    execArgv: ["--conditions=@heddle/built", "--import", new URL("probe.mjs", import.meta.url).href],
    env: { ...process.env, NODE_ENV: "production", BENCH_FOLDER: join(folder, name.replace(/\W+/g, "-")) },
    stdio: ["ignore", "ignore", err, "ipc"]
  })
  closeSync(err)
  const ended = once(child, "exit")

  const answer = (key) =>
    new Promise((resolve, reject) => {
      const late = setTimeout(() => settle(reject, new Error(`${name} did not answer within 180 s`)), 180_000)
      const settle = (how, value) => {
        clearTimeout(late)
        child.off("message", onMessage)
        child.off("exit", onExit)
        how(value)
      }
      const onMessage = (message) => {
        if (key in message) settle(resolve, message[key])
      }
      const onExit = (code) =>
        settle(reject, new Error(`${name} ended with status ${code}\n${readFileSync(log, "utf8")}`))
      child.on("message", onMessage)
      child.on("exit", onExit)
    })
  const ask = (question, key) => {
    child.send(question)
    return answer(key)
  }

  return {
    name,
    ready: await answer("ready"),
    /** The CPU time that the process has used, in microseconds, on all of its threads. */
    cpu: async () => {
      const { system, user } = await ask({ cpu: true }, "cpu")
      return system + user
    },
    /** The resident memory of the process, in bytes, after a collection. */
    memory: () => ask({ memory: true }, "memory"),
    /** The resident memory as it is. */
    resident: () => ask({ resident: true }, "resident"),
    /** What objects take after a collection, in bytes. */
    objects: () => ask({ objects: true }, "objects"),
    /** Lets it drive one run; gives how many operations were done. */
    run: (run) => ask({ run }, "done"),
    stop: async () => {
      child.kill("SIGTERM")
      const late = setTimeout(() => child.kill("SIGKILL"), 6000)
      await ended
      clearTimeout(late)
    }
  }
}

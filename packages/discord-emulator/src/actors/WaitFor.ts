/** Subscribes to everything that can make a condition true. */
export type Listen<Event> = (listener: (event: Event) => void) => () => void

/** What a condition depends on outside of the emulator is looked at this often, in milliseconds. */
const pollIntervalMs = 25

/** Resolves with the first useful value of `find`, looked up now, after every event, and now and then. */
export const waitFor = <A, Event>(
  listen: Listen<Event>,
  find: () => A | undefined | false,
  options: { readonly timeoutMs: number; readonly what: string; readonly snapshot: () => string }
): Promise<A> =>
  new Promise((resolve, reject) => {
    let stop = (): void => undefined
    let timer: NodeJS.Timeout | undefined
    let looking: NodeJS.Timeout | undefined
    const end = (): void => {
      stop()
      clearTimeout(timer)
      clearInterval(looking)
    }
    const look = (): boolean => {
      try {
        const found = find()
        if (found === undefined || found === false) return false
        end()
        resolve(found)
      } catch (cause) {
        end()
        reject(cause)
      }
      return true
    }
    if (look()) return
    stop = listen(() => void look())
    looking = setInterval(look, pollIntervalMs)
    timer = setTimeout(() => {
      end()
      reject(new Error(`waited ${options.timeoutMs} ms for ${options.what}; there is now:\n${options.snapshot()}`))
    }, options.timeoutMs)
  })

/** Resolves once `ms` passed without an event that counts; rejects after `limitMs` without such a pause. */
export const quiet = <Event>(
  listen: Listen<Event>,
  counts: (event: Event) => boolean,
  options: { readonly ms: number; readonly limitMs: number; readonly what: string }
): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      stop()
      clearTimeout(limit)
      clearTimeout(pause)
    }
    const done = (): void => {
      end()
      resolve()
    }
    let pause = setTimeout(done, options.ms)
    const limit = setTimeout(() => {
      end()
      reject(new Error(`${options.what} was never quiet for ${options.ms} ms within ${options.limitMs} ms`))
    }, options.limitMs)
    const stop = listen((event) => {
      if (!counts(event)) return
      clearTimeout(pause)
      pause = setTimeout(done, options.ms)
    })
  })

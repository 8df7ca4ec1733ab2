/** Subscribes to the events that can make a condition true; the returned function unsubscribes. */
export type Listen<Event> = (listener: (event: Event) => void) => () => void

/** A condition may depend on state outside the emulator, so it is also polled. */
const pollIntervalMs = 25

/** Resolves with the first value of `find`, which runs at once, after every event, and every `pollIntervalMs`. */
export const waitFor = <A, Event>(
  listen: Listen<Event>,
  find: () => A | undefined | false,
  options: { readonly timeoutMs: number; readonly what: string; readonly snapshot: () => string }
): Promise<A> =>
  new Promise((resolve, reject) => {
    let stop = (): void => undefined
    let timer: NodeJS.Timeout | undefined
    let poll: NodeJS.Timeout | undefined
    const stopWaiting = (): void => {
      stop()
      clearTimeout(timer)
      clearInterval(poll)
    }
    const check = (): boolean => {
      try {
        const value = find()
        if (value === undefined || value === false) return false
        stopWaiting()
        resolve(value)
      } catch (cause) {
        stopWaiting()
        reject(cause)
      }
      return true
    }
    if (check()) return
    stop = listen(() => void check())
    poll = setInterval(check, pollIntervalMs)
    timer = setTimeout(() => {
      stopWaiting()
      reject(new Error(`waited ${options.timeoutMs} ms for ${options.what}; there is now:\n${options.snapshot()}`))
    }, options.timeoutMs)
  })

/** Resolves after `ms` without a relevant event; rejects when there is no such pause within `limitMs`. */
export const waitForQuiet = <Event>(
  listen: Listen<Event>,
  isRelevant: (event: Event) => boolean,
  options: { readonly ms: number; readonly limitMs: number; readonly what: string }
): Promise<void> =>
  new Promise((resolve, reject) => {
    const stopWaiting = (): void => {
      stop()
      clearTimeout(limitTimer)
      clearTimeout(pauseTimer)
    }
    const finish = (): void => {
      stopWaiting()
      resolve()
    }
    let pauseTimer = setTimeout(finish, options.ms)
    const limitTimer = setTimeout(() => {
      stopWaiting()
      reject(new Error(`${options.what} was never quiet for ${options.ms} ms within ${options.limitMs} ms`))
    }, options.limitMs)
    const stop = listen((event) => {
      if (!isRelevant(event)) return
      clearTimeout(pauseTimer)
      pauseTimer = setTimeout(finish, options.ms)
    })
  })

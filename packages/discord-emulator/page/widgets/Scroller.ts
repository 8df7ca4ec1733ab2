/** Keeps the scroll position of a list: at its end while the reader is there, otherwise where they read. */
export interface Scroller {
  /** Takes over the element that scrolls. */
  readonly attach: (element: Element | undefined) => void
  /** Whether another list is shown now; it starts at its end. */
  readonly restart: () => void
  /** Called after every rendering. */
  readonly settle: (firstMessage: string | undefined) => void
  readonly atEnd: () => boolean
  readonly toEnd: () => void
}

const NEAR_END = 48
const NEAR_START = 120

/** Makes a scroller; it calls back when the end is reached or left, and when older messages are wanted. */
export const makeScroller = (onEnd: (atEnd: boolean) => void, onStart: () => void): Scroller => {
  let element: Element | undefined
  let end = true
  let first: string | undefined
  let height = 0
  const toEnd = (): void => {
    if (element !== undefined) element.scrollTop = element.scrollHeight
  }
  // Pictures and previews grow after they are rendered.
  const growth = new ResizeObserver(() => {
    if (end) toEnd()
  })
  const onScroll = (): void => {
    if (element === undefined) return
    if (end && element.scrollHeight !== height) {
      // The list grew before the browser told of the last scrolling: that is not the reader leaving the end.
      height = element.scrollHeight
      return toEnd()
    }
    const now = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END
    if (now !== end) {
      end = now
      onEnd(end)
    }
    if (element.scrollTop < NEAR_START) onStart()
  }
  return {
    attach: (found) => {
      if (found === element) return
      growth.disconnect()
      element?.removeEventListener("scroll", onScroll)
      element = found
      element?.addEventListener("scroll", onScroll, { passive: true })
      if (element === undefined) return
      growth.observe(element)
      if (element.firstElementChild !== null) growth.observe(element.firstElementChild)
    },
    restart: () => {
      end = true
      first = undefined
      onEnd(true)
    },
    settle: (firstMessage) => {
      if (element === undefined) return
      if (end) toEnd()
      else if (first !== undefined && firstMessage !== first) element.scrollTop += element.scrollHeight - height
      first = firstMessage
      height = element.scrollHeight
    },
    atEnd: () => end,
    toEnd
  }
}

/** Keeps the scroll position of a list: at its end if the reader is there, otherwise at the message they read. */
export interface Scroller {
  /** Observes the scrolling element. */
  readonly attach: (element: Element | undefined) => void
  /** Scrolls to the end, as for another list. */
  readonly restart: () => void
  /** Restores the position; called after every rendering. */
  readonly settle: (firstMessageId: string | undefined) => void
  readonly atEnd: () => boolean
  readonly toEnd: () => void
}

/** The list at its last rendering. */
interface Rendered {
  readonly firstMessageId: string | undefined
  /** In pixels. */
  readonly height: number
}

const NEAR_END_PX = 48
const NEAR_START_PX = 120

/** Makes a scroller; it calls `onEnd` when the end is reached or left, and `onStart` near the oldest message. */
export const makeScroller = (onEnd: (atEnd: boolean) => void, onStart: () => void): Scroller => {
  let element: Element | undefined
  let isAtEnd = true
  let rendered: Rendered = { firstMessageId: undefined, height: 0 }
  const toEnd = (): void => {
    if (element !== undefined) element.scrollTop = element.scrollHeight
  }
  // Pictures and previews grow after they are rendered.
  const growth = new ResizeObserver(() => {
    if (isAtEnd) toEnd()
  })
  const onScroll = (): void => {
    if (element === undefined) return
    if (isAtEnd && element.scrollHeight !== rendered.height) {
      // The list grew before this scroll event arrived: the reader did not leave the end.
      rendered = { ...rendered, height: element.scrollHeight }
      return toEnd()
    }
    const isNearEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX
    if (isNearEnd !== isAtEnd) {
      isAtEnd = isNearEnd
      onEnd(isAtEnd)
    }
    if (element.scrollTop < NEAR_START_PX) onStart()
  }
  return {
    attach: (next) => {
      if (next === element) return
      growth.disconnect()
      element?.removeEventListener("scroll", onScroll)
      element = next
      element?.addEventListener("scroll", onScroll, { passive: true })
      if (element === undefined) return
      growth.observe(element)
      if (element.firstElementChild !== null) growth.observe(element.firstElementChild)
    },
    restart: () => {
      isAtEnd = true
      rendered = { ...rendered, firstMessageId: undefined }
      onEnd(true)
    },
    settle: (firstMessageId) => {
      if (element === undefined) return
      if (isAtEnd) toEnd()
      else if (rendered.firstMessageId !== undefined && firstMessageId !== rendered.firstMessageId)
        element.scrollTop += element.scrollHeight - rendered.height
      rendered = { firstMessageId, height: element.scrollHeight }
    },
    atEnd: () => isAtEnd,
    toEnd
  }
}

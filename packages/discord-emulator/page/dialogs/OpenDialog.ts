/** Opens a dialog element as a modal and focuses its first field; a ref callback for lit. */
export const openDialog = (element: Element | undefined): void => {
  if (element instanceof HTMLDialogElement && !element.open) {
    // The element is attached after this rendering.
    queueMicrotask(() => {
      if (!element.isConnected || element.open) return
      element.showModal()
      // The close button comes first in the document, and must not get the focus.
      element.querySelector<HTMLElement>(".fields :is(input, textarea, select, button)")?.focus()
    })
  }
}

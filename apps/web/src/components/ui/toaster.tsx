import { createRoot, type Root } from 'react-dom/client'
import { Toaster, toast } from 'sonner'

/** A button of a toast. */
export interface ToastAction {
  readonly label: string
  readonly onClick: () => void
}

let place: { readonly host: HTMLElement; readonly root: Root } | undefined

/** Draws the place of toasts, once in a document. */
function mount(): void {
  if (place?.host.ownerDocument === document) return
  const host = document.createElement('div')
  document.body.append(host)
  place = { host, root: createRoot(host) }
  place.root.render(<Toaster position="bottom-right" closeButton />)
}

/** Shows a toast in the lower corner. Failures stay until they are closed. */
export function showToast(kind: 'success' | 'error', text: string, action: ToastAction | undefined): void {
  mount()
  toast[kind](text, {
    duration: kind === 'error' ? Number.POSITIVE_INFINITY : 6_000,
    ...(action === undefined ? {} : { action }),
  })
}

/** Takes the place of toasts out of the document. The next toast draws it again. */
export function unmountToaster(): void {
  place?.root.unmount()
  place?.host.remove()
  place = undefined
}

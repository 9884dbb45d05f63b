import { createRoot } from 'react-dom/client'
import { Toaster, toast } from 'sonner'

/** A button of a toast. */
export interface ToastAction {
  readonly label: string
  readonly onClick: () => void
}

let host: HTMLElement | undefined

/** Draws the place of toasts, once in a document. */
function mount(): void {
  if (host?.ownerDocument === document) return
  host = document.createElement('div')
  document.body.append(host)
  createRoot(host).render(<Toaster position="bottom-right" closeButton toastOptions={{ className: 'toast-card' }} />)
}

/** Shows a toast in the lower corner. Failures stay until they are closed. */
export function showToast(kind: 'success' | 'error', text: string, action: ToastAction | undefined): void {
  mount()
  toast[kind](text, {
    duration: kind === 'error' ? Number.POSITIVE_INFINITY : 6_000,
    ...(action === undefined ? {} : { action }),
  })
}

import type { ToastAction } from './toaster.tsx'

/** Shows the result of an action of the user. The part that draws toasts loads with the first one. */
export function notify(kind: 'success' | 'error', text: string, action?: ToastAction): void {
  void import('./toaster.tsx').then(({ showToast }) => showToast(kind, text, action))
}

import type { ToastAction } from './toaster.tsx'

/** Tells the result of something the user did. The part that draws toasts loads with the first one. */
export function notify(kind: 'success' | 'error', text: string, action?: ToastAction): void {
  void import('./toaster.tsx').then(({ showToast }) => showToast(kind, text, action))
}

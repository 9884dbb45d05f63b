/** A button of a toast. */
export interface ToastAction {
  readonly label: string
  readonly onClick: () => void
}

/** Tells the result of something the user did. The part that draws toasts loads with the first one. */
export function notify(kind: 'success' | 'error', text: string, action?: ToastAction): void {
  void import('../components/ui/toaster.tsx').then(({ showToast }) => showToast(kind, text, action))
}

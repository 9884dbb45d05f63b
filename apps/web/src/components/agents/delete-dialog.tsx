import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { ErrorBlock } from '../ui/states.tsx'
import { notify } from '../ui/toast.ts'

/** Asks before a thing is deleted, deletes it and says so. @param onDone called after the server has agreed */
export function DeleteDialog({
  title,
  action,
  done,
  children,
  remove,
  onDone,
  onClose,
}: {
  readonly title: string
  readonly action: string
  /** What the toast says. */
  readonly done: string
  readonly children: ReactNode
  readonly remove: () => Promise<unknown>
  readonly onDone?: (() => void) | undefined
  readonly onClose: () => void
}) {
  const removal = useMutation({ mutationFn: remove })
  const onConfirm = () =>
    removal.mutate(undefined, {
      onSuccess: () => {
        onClose()
        notify('success', done)
        onDone?.()
      },
    })
  return (
    <ConfirmDialog
      title={title}
      action={action}
      busy={removal.isPending}
      error={removal.isError && <ErrorBlock error={removal.error} />}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {children}
    </ConfirmDialog>
  )
}

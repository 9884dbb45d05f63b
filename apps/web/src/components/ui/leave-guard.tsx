import { useBlocker } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from './dialog.tsx'

/**
 * Asks before a changed form is left.
 *
 * @param isNeeded whether something would be lost now
 * @param isSearchToo whether another view of the same page leaves the form too
 * @param keptUnder start of the paths between which the form stays
 */
export function LeaveGuard({
  isNeeded,
  isSearchToo = false,
  keptUnder,
}: {
  readonly isNeeded: () => boolean
  readonly isSearchToo?: boolean
  readonly keptUnder?: string
}) {
  const { t } = useTranslation()
  const isKept = (path: string): boolean => keptUnder !== undefined && path.startsWith(keptUnder)
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isNeeded() && !isKept(next.pathname) && (isSearchToo || current.pathname !== next.pathname),
    enableBeforeUnload: isNeeded,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <ConfirmDialog
      title={t('leave.title')}
      action={t('leave.action')}
      onConfirm={blocker.proceed}
      onClose={blocker.reset}
    >
      {t('leave.about')}
    </ConfirmDialog>
  )
}

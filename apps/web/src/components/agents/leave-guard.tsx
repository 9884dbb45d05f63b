import { useBlocker } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from '../ui/dialog.tsx'

/**
 * Asks before a changed form is left.
 *
 * @param isNeeded whether something would be lost now
 * @param isSearchToo whether another view of the same page leaves the form too
 */
export function LeaveGuard({
  isNeeded,
  isSearchToo = false,
}: {
  readonly isNeeded: () => boolean
  readonly isSearchToo?: boolean
}) {
  const { t } = useTranslation('agents')
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isNeeded() && (isSearchToo || current.pathname !== next.pathname),
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

import { useTranslation } from 'react-i18next'
import { usePendingCount } from '../features/users/api.ts'
import * as navigationStyles from './navigation.module.css'

/** Number of accounts that wait for an admin, at the end of an entry of the navigation. */
export function PendingCount() {
  const { t } = useTranslation()
  const count = usePendingCount()
  if (count === 0) return null
  return (
    <span className={navigationStyles.count}>
      <span aria-hidden="true">{count}</span>
      <span className="visuallyHidden">{t('nav.waitingUsers', { count })}</span>
    </span>
  )
}

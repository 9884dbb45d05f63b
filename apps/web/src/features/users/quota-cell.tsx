import { useTranslation } from 'react-i18next'
import { Status } from '../../components/ui/status.tsx'
import { formatMoment, formatPercent } from '../../lib/format.ts'
import type { User } from '../../lib/users.ts'
import { findFullest } from './user-list.ts'

/** The quota of an account that is used most; the tooltip says when it ends. */
export function QuotaCell({ quotas }: Pick<User, 'quotas'>) {
  const { t } = useTranslation('users')
  const fullest = findFullest(quotas)
  if (fullest === undefined) return <span className="faint">{t('noQuota')}</span>
  const { share, quota } = fullest
  const model = quota.model === '' ? t('quota.allModels') : quota.model
  const about = t('quotaAbout', { model, window: quota.window, time: formatMoment(quota.resets_at) })
  return (
    <span title={about}>
      <Status tone={share >= 1 ? 'bad' : share > 0.8 ? 'warn' : 'ok'}>
        {t('quotaUsed', { share: formatPercent(share) })}
      </Status>
      <span className="visuallyHidden"> {about}</span>
    </span>
  )
}

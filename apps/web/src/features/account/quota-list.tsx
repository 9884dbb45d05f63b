import { useTranslation } from 'react-i18next'
import * as progressBarStyles from '../../components/ui/progress-bar.module.css'
import { RelativeTime } from '../../components/ui/time.tsx'
import { formatNumber } from '../../lib/format.ts'
import type { Quota } from './api.ts'

/** Remaining amounts of the quotas that an admin has set. */
export function QuotaList({ quotas }: { readonly quotas: readonly Quota[] }) {
  const { t } = useTranslation('account')
  if (quotas.length === 0) return <p className="muted">{t('quotas.none')}</p>
  return (
    <ul className="stack">
      {quotas.map((quota) => (
        <li key={quota.id} className="stack tight">
          <div className="row wrap">
            <b className="medium">{quota.model === '' ? t('quotas.allModels') : quota.model}</b>
            <span className="meta push">
              {t('quotas.window', { window: quota.window })} · {t('quotas.resets')}{' '}
              <RelativeTime time={quota.resets_at} />
            </span>
          </div>
          <Meter label={t('quotas.requests')} used={quota.current_requests} limit={quota.max_requests} />
          <Meter label={t('quotas.tokens')} used={quota.current_total_tokens} limit={quota.max_total_tokens} />
        </li>
      ))}
    </ul>
  )
}

function Meter({
  label,
  used,
  limit,
}: {
  readonly label: string
  readonly used: number
  readonly limit: number | null
}) {
  const { t } = useTranslation('account')
  if (limit === null) return null
  const share = limit === 0 ? 1 : Math.min(1, used / limit)
  const text = t('quotas.used', { used: formatNumber(used), limit: formatNumber(limit) })
  return (
    <div>
      <div className="row meta">
        <span>{label}</span>
        <span className="push">{text}</span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: browsers draw a meter element in their own ways */}
      <div
        className={progressBarStyles.bar}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-valuetext={text}
      >
        <i
          className={share >= 1 ? progressBarStyles.bad : share > 0.8 ? progressBarStyles.warn : ''}
          style={{ width: `${share * 100}%` }}
        />
      </div>
    </div>
  )
}

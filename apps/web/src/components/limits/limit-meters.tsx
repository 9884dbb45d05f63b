import { useTranslation } from 'react-i18next'
import type { Limit } from '../../lib/limits.ts'
import { Meter } from '../ui/progress-bar.tsx'
import { RelativeTime } from '../ui/time.tsx'
import { formatAmount, listMeasures, type MeasuredPart } from './limit-words.ts'
import * as styles from './limits.module.css'

/** What is used of each measure of a limit, and when the count ends. */
export function LimitMeters({ limit }: { readonly limit: Limit }) {
  const { t } = useTranslation('limits')
  return (
    <div className={styles.meters}>
      {listMeasures(limit).map((part) => (
        <MeasureLine key={part.measure} part={part} currency={limit.currency} />
      ))}
      <p className="meta">
        {limit.current === null ? (
          t('countsEach')
        ) : (
          <>
            {t('resets')} <RelativeTime time={limit.current.resets_at} />
          </>
        )}
      </p>
    </div>
  )
}

function MeasureLine({
  part: { measure, used, max },
  currency,
}: {
  readonly part: MeasuredPart
  readonly currency: string
}) {
  const { t } = useTranslation('limits')
  const label = t(`measure.${measure}`)
  const most = formatAmount(measure, max, currency)
  if (used === undefined)
    return (
      <p className={styles.line}>
        <span>{label}</span>
        <span>{t('most', { most })}</span>
      </p>
    )
  const share = max === 0 ? 1 : used / max
  const text = t('used', { used: formatAmount(measure, used, currency), most })
  return (
    <div>
      <p className={styles.line}>
        <span>{label}</span>
        <span>{text}</span>
      </p>
      <Meter label={label} text={text} share={share} tone={share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : 'c1'} />
    </div>
  )
}

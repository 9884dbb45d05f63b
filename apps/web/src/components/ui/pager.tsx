import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { IconButton } from './button.tsx'
import * as styles from './pager.module.css'

/** Steps through the pages of a list; draws nothing for a single page. @param page from 1 on */
export function Pager({
  page,
  size,
  total,
  onChange,
}: {
  readonly page: number
  readonly size: number
  readonly total: number
  readonly onChange: (page: number) => void
}) {
  const { t } = useTranslation()
  const last = Math.max(1, Math.ceil(total / size))
  if (last === 1) return null
  return (
    <nav className={`row ${styles.pager}`} aria-label={t('pager.label')}>
      <span className="meta" role="status">
        {t('pager.range', {
          from: formatNumber((page - 1) * size + 1),
          to: formatNumber(Math.min(page * size, total)),
          total: formatNumber(total),
        })}
      </span>
      <IconButton
        small
        icon="chevron-left"
        label={t('pager.previous')}
        disabled={page <= 1}
        onClick={() => onChange(page - 1)}
      />
      <IconButton
        small
        icon="chevron-right"
        label={t('pager.next')}
        disabled={page >= last}
        onClick={() => onChange(page + 1)}
      />
    </nav>
  )
}

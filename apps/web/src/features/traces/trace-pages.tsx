import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import * as fieldStyles from '../../components/ui/field.module.css'
import { SelectFilter } from '../../components/ui/field.tsx'
import { formatNumber } from '../../lib/format.ts'
import { PAGE_SIZES } from './search.ts'
import * as styles from './traces.module.css'
import type { TracesAddress } from './use-traces-search.ts'

/** Goes through the pages of the list. @param shownAt time when the list was read; later pages show the same state */
export function TracePages({
  address: { search, change, goTo },
  total,
  shownAt,
}: {
  readonly address: TracesAddress
  readonly total: number
  readonly shownAt: number
}) {
  const { t } = useTranslation('traces')
  const { page = 1, per = 50, at = shownAt } = search
  const last = Math.max(1, Math.ceil(total / per))
  if (total <= 50) return null
  return (
    <nav className={styles.pages} aria-label={t('pages.label')}>
      <Button small icon="chevron-left" disabled={page <= 1} onClick={() => goTo(page - 1, at)}>
        {t('pages.newer')}
      </Button>
      <span className="meta">{t('pages.place', { page: formatNumber(page), last: formatNumber(last) })}</span>
      <Button small icon="chevron-right" disabled={page >= last} onClick={() => goTo(page + 1, at)}>
        {t('pages.older')}
      </Button>
      <SelectFilter
        className={`${fieldStyles.input} ${fieldStyles.filter} push`}
        label={t('pages.size')}
        value={per}
        options={PAGE_SIZES.map((size) => [String(size), t('pages.rows', { count: size })] as const)}
        onChange={({ target }) => change({ per: Number(target.value) === 50 ? undefined : Number(target.value) })}
      />
    </nav>
  )
}

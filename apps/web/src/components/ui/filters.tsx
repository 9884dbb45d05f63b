import { type ReactNode, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '../../lib/lazy-part.ts'
import { useNarrow } from '../../lib/use-narrow.ts'
import { Button } from './button.tsx'

const FilterSheet = lazyPart(async () => (await import('./filter-sheet.tsx')).FilterSheet)

/**
 * The filters of a list: in their row, or below 640 px in a sheet behind one button.
 *
 * @param values values of the filters; the button counts the ones that are set
 */
export function Filters({ values, children }: { readonly values: readonly unknown[]; readonly children: ReactNode }) {
  const { t } = useTranslation()
  const isNarrow = useNarrow()
  const [isOpen, setOpen] = useState(false)
  if (!isNarrow) return <>{children}</>
  const count = values.filter((value) => value !== undefined && value !== '' && value !== false).length
  return (
    <>
      <Button small icon="filter" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {count === 0 ? t('filters.open') : t('filters.openCount', { count })}
      </Button>
      {isOpen && (
        <Suspense>
          <FilterSheet onClose={() => setOpen(false)}>{children}</FilterSheet>
        </Suspense>
      )}
    </>
  )
}

import { type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../components/ui/button.tsx'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import { toRem } from '../../lib/text-size.ts'
import * as styles from './traces.module.css'

/** The panel beside the list. On narrow screens it covers the list. */
export function Peek({
  title,
  label,
  about,
  goNext,
  goPrevious,
  onClose,
  children,
  footer,
}: {
  readonly title: string
  readonly label: string
  readonly about: ReactNode
  readonly goNext: (() => void) | undefined
  readonly goPrevious: (() => void) | undefined
  readonly onClose: () => void
  readonly children: ReactNode
  readonly footer?: ReactNode
}) {
  const { t } = useTranslation('traces')
  const panel = useRef<HTMLElement>(null)
  useEffect(() => {
    // over the list, the panel takes the focus; beside it, the list keeps it
    if (matchMedia(`(max-width: ${toRem(1439)})`).matches) panel.current?.focus()
  }, [])
  return (
    <aside className={styles.peek} ref={panel} tabIndex={-1} aria-label={label}>
      <header>
        <div className="grow">
          <h2 className="monospace clip" title={title}>
            {title || '\u00a0'}
          </h2>
          <p className="meta">{about}</p>
        </div>
        <IconButton
          small
          icon="up"
          label={t('peek.previous')}
          disabled={goPrevious === undefined}
          onClick={goPrevious}
        />
        <IconButton small icon="chevron-down" label={t('peek.next')} disabled={goNext === undefined} onClick={goNext} />
        <IconButton small icon="x" label={t('common:close')} onClick={onClose} />
      </header>
      <ScrollRegion className={styles.peekBody} aria-label={t('peek.details')}>
        {children}
      </ScrollRegion>
      {footer && <footer>{footer}</footer>}
    </aside>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button as AriaButton, Dialog as AriaDialog, DialogTrigger, Heading, Popover } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { OperationRow } from '../components/operations/operation-row.tsx'
import * as popoverStyles from '../components/ui/popover.module.css'
import { Badge } from '../components/ui/status.tsx'
import { readConnection } from '../lib/connection.ts'
import { formatPercent } from '../lib/format.ts'
import {
  averageProgress,
  chooseOperationInterval,
  type Operation,
  readOperationState,
} from '../lib/operations/operation.ts'
import { operationsQuery } from '../lib/operations/operation-queries.ts'
import { useOperationNews } from './operation-news.ts'
import * as styles from './operations-button.module.css'

/** The length of the ring of the button. */
const RING = 2 * Math.PI * 6.5
const SHOWN = 3

/** Button with the number and the progress of the operations. Only it polls the server; other parts share its data. */
export function OperationsButton() {
  const { t } = useTranslation('operations')
  const [isOpen, setOpen] = useState(false)
  const { data } = useQuery({
    ...operationsQuery,
    refetchInterval: ({ state }) =>
      readConnection().state === 'offline' ? false : chooseOperationInterval(state.data),
  })
  const said = useOperationNews(data)
  const operations = data ?? []
  const active = operations.filter((operation) => readOperationState(operation) !== 'failed')
  const failed = operations.length - active.length
  const share = averageProgress(operations)
  const label = [
    active.length === 0 ? t('button_none') : t('button', { count: active.length, share: formatPercent(share) }),
    ...(failed === 0 ? [] : [t('attention', { count: failed })]),
  ].join(', ')
  return (
    <>
      <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
        <AriaButton className={`${styles.button}`} aria-label={label}>
          <svg className={styles.ring} viewBox="0 0 18 18" aria-hidden="true">
            <circle className={styles.ringTrack} cx="9" cy="9" r="6.5" />
            {share > 0 && (
              <circle
                className={styles.ringProgress}
                cx="9"
                cy="9"
                r="6.5"
                strokeDasharray={`${share * RING} ${RING}`}
              />
            )}
          </svg>
          {active.length > 0 && active.length}
          {failed > 0 && <Badge tone="bad">{failed}</Badge>}
        </AriaButton>
        <Popover className={`${popoverStyles.popover} ${styles.list}`} placement="bottom end">
          <AriaDialog>
            <OperationsPopover active={active} failed={failed} onFollow={() => setOpen(false)} />
          </AriaDialog>
        </Popover>
      </DialogTrigger>
      <span className="visuallyHidden" role="status">
        {said}
      </span>
    </>
  )
}

function OperationsPopover({
  active,
  failed,
  onFollow,
}: {
  readonly active: readonly Operation[]
  readonly failed: number
  readonly onFollow: () => void
}) {
  const { t } = useTranslation('operations')
  const rest = active.length - SHOWN
  return (
    <>
      <header>
        <Heading slot="title" level={2}>
          {t('title')}
        </Heading>
        {failed > 0 && <Badge tone="bad">{t('attention', { count: failed })}</Badge>}
      </header>
      {active.length === 0 ? (
        <p className={styles.none}>{t('none')}</p>
      ) : (
        <ul>
          {active.slice(0, SHOWN).map((operation) => (
            <OperationRow key={operation.jobID} operation={operation} />
          ))}
        </ul>
      )}
      <footer className="row">
        {rest > 0 && <span className="meta">{t('more', { count: rest })}</span>}
        <Link className="push" to="/app/activity" onClick={onFollow}>
          {t('all')}
        </Link>
      </footer>
    </>
  )
}

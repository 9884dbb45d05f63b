import type { CSSProperties } from 'react'
import { useTranslation } from 'react-i18next'
import { formatPercent } from '../../lib/format.ts'
import { type Operation, readOperationState } from '../../lib/operations/operation.ts'
import { OperationButtons } from './operation-buttons.tsx'
import { Facts } from './operation-row.tsx'
import { describePhase, listFacts } from './operation-words.ts'
import * as styles from './operations.module.css'

/** Progress of an installation or removal, in place of the button that started it. */
export function InstallProgress({
  operation,
  isSmall = false,
}: {
  readonly operation: Operation
  readonly isSmall?: boolean
}) {
  const { t } = useTranslation('operations')
  const share = operation.progress / 100
  const isQueued = readOperationState(operation) === 'queued'
  const phase = describePhase(operation, t)
  const bar = (
    <span
      className={isSmall ? `${styles.progressButton} ${styles.small}` : styles.progressButton}
      style={{ '--p': String(share) } as CSSProperties}
      role="progressbar"
      aria-label={operation.name}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={operation.progress}
      aria-valuetext={`${phase}, ${formatPercent(share)}`}
    >
      <span className={styles.progressWords}>
        <span>{phase}</span>
        {!isQueued && <span>{formatPercent(share)}</span>}
      </span>
    </span>
  )
  if (isSmall) return bar
  return (
    <span className={styles.install}>
      {bar}
      <OperationButtons operation={operation} isCompact />
      <span className="meta">
        <Facts facts={listFacts(operation, t).slice(isQueued ? 0 : 1)} />
      </span>
    </span>
  )
}

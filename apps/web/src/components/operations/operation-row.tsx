import { Fragment, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { formatPercent } from '../../lib/format.ts'
import { type Operation, readOperationState } from '../../lib/operations/operation.ts'
import { ProgressBar } from '../ui/progress-bar.tsx'
import { LetterTile, Status } from '../ui/status.tsx'
import { describeKind, describePhase, describeWorkerState, listFacts } from './operation-words.ts'
import * as styles from './operations.module.css'

const TONES = { queued: 'neutral', running: 'run', failed: 'bad' } as const

/** An operation with its progress. @param children its buttons */
export function OperationRow({
  operation,
  children,
}: {
  readonly operation: Operation
  readonly children?: ReactNode
}) {
  const { t } = useTranslation('operations')
  const state = readOperationState(operation)
  const phase = describePhase(operation, t)
  const { name, nodeName, nodes = [], error, progress, message } = operation
  const hasBar = state === 'running' || (state === 'failed' && progress > 0)
  return (
    <li className={styles.operation}>
      <LetterTile name={name} />
      <div className="grow">
        <div className={`row wrap ${styles.firstLine}`}>
          <b className={styles.name}>{name}</b>
          <span className="meta">
            {describeKind(operation, t)}
            {nodeName && ` (${nodeName})`}
          </span>
          <span className="push">
            <Status tone={TONES[state]}>{phase}</Status>
          </span>
        </div>
        {hasBar && (
          <ProgressBar
            share={progress / 100}
            label={name}
            text={`${phase}, ${formatPercent(progress / 100)}`}
            tone={state === 'failed' ? 'bad' : ''}
          />
        )}
        {state === 'failed' ? (
          <p className={`meta ${styles.lastLine} ${styles.error}`}>{error}</p>
        ) : (
          <p className={`meta ${styles.lastLine}`}>
            <Facts facts={listFacts(operation, t)} />
            {operation.isDeletion && state === 'running' && <span>{t('removalRuns')}</span>}
            {operation.isQueued && <span className={styles.message}>{message}</span>}
          </p>
        )}
        {nodes.length > 0 && (
          <ul className={styles.nodes}>
            {nodes.map((node) => (
              <li key={node.node_id}>
                <span className="clip">{node.node_name}</span>
                <Status tone={node.status === 'Failed' ? 'bad' : node.status === 'Downloading' ? 'run' : 'neutral'}>
                  {describeWorkerState(node.status, t)}
                </Status>
                <span className="number">{formatPercent(node.percentage / 100)}</span>
                {node.error && <span className={styles.nodeError}>{node.error}</span>}
              </li>
            ))}
          </ul>
        )}
      </div>
      {children && <div className={styles.buttons}>{children}</div>}
    </li>
  )
}

/** Short facts in one line, with dots between. */
export function Facts({ facts }: { readonly facts: readonly string[] }) {
  return facts.map((fact, index) => (
    <Fragment key={fact}>
      {index > 0 && <span className="separator" />}
      {fact}
    </Fragment>
  ))
}

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { describeKind } from '../../components/operations/operation-words.ts'
import { Button, buttonClass } from '../../components/ui/button.tsx'
import { Status } from '../../components/ui/status.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { useConnection } from '../../lib/connection.ts'
import { formatDuration } from '../../lib/format.ts'
import { type Operation, type OperationRecord, readOutcome } from '../../lib/operations/operation.ts'
import { useOperationAction } from '../../lib/operations/operation-actions.ts'
import * as styles from './activity.module.css'
import { chatModelsQuery } from './api.ts'
import { findRecordAction, type RecordAction } from './record-action.ts'

const TONES = { completed: 'ok', failed: 'bad', cancelled: 'neutral' } as const
const NO_MODELS: ReadonlySet<string> = new Set()

/** Ended operations with their outcome and their next action. */
export function RecordTable({
  records,
  operations,
}: {
  readonly records: readonly OperationRecord[]
  readonly operations: readonly Operation[]
}) {
  const { t } = useTranslation('activity')
  const chatModels = useQuery(chatModelsQuery).data ?? NO_MODELS
  return (
    <div className={`card ${styles.record}`}>
      <table className="table stacked">
        <thead>
          <tr>
            <th scope="col">{t('column.time')}</th>
            <th scope="col">{t('column.kind')}</th>
            <th scope="col">{t('column.target')}</th>
            <th scope="col">{t('column.outcome')}</th>
            <th scope="col" className="number">
              {t('column.took')}
            </th>
            <th scope="col">
              <span className="visuallyHidden">{t('column.action')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <RecordRow
              key={record.jobID}
              record={record}
              action={findRecordAction(record, { records, operations, chatModels })}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function RecordRow({
  record,
  action,
}: {
  readonly record: OperationRecord
  readonly action: RecordAction | undefined
}) {
  const { t } = useTranslation('activity')
  const { name, outcome, error, startedAt, finishedAt } = record
  const word = readOutcome(record)
  const took = Date.parse(finishedAt) - Date.parse(startedAt)
  return (
    <tr>
      <td className="freeCell minorCell muted">
        <RelativeTime time={finishedAt} />
      </td>
      <td className="freeCell minorCell muted">{describeKind(record, t)}</td>
      <td className="mainCell">
        <span className={`medium ${styles.target}`}>{name}</span>
        {error && <span className={`meta ${styles.target}`}>{error}</span>}
      </td>
      <td className="freeCell endCell">
        <Status tone={TONES[outcome]}>{t(`outcome.${word}`)}</Status>
      </td>
      <td className="number freeCell minorCell">{took >= 0 && formatDuration(took)}</td>
      <td className="number freeCell minorCell">{action && <RecordButton record={record} action={action} />}</td>
    </tr>
  )
}

function RecordButton({ record, action }: { readonly record: OperationRecord; readonly action: RecordAction }) {
  const { t } = useTranslation('activity')
  const { mutate, isPending } = useOperationAction()
  const isOffline = useConnection().state === 'offline'
  const { id, name, isBackend } = record
  if (action === 'chat')
    return (
      <Link className={buttonClass('ghost', 'small')} to={`/app/chat/${encodeURIComponent(name)}` as '/app'}>
        {t('openInChat')}
      </Link>
    )
  return (
    <Button
      small
      kind="ghost"
      disabled={isPending || isOffline}
      title={action === 'resume' ? t('resumeAbout') : undefined}
      onClick={() => mutate({ do: 'install', kind: isBackend ? 'backend' : 'model', id })}
    >
      {action === 'resume' ? t('resume') : t('installAgain')}
    </Button>
  )
}

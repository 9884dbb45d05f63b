import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { describeKind } from '../../components/operations/operation-words.ts'
import { Button } from '../../components/ui/button.tsx'
import { Status } from '../../components/ui/status.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { useConnection } from '../../lib/connection.ts'
import { formatDuration } from '../../lib/format.ts'
import { type Operation, type OperationRecord, readOutcome } from '../../lib/operations/operation.ts'
import { useOperationAction } from '../../lib/operations/operation-actions.ts'
import { chatModelsQuery } from './api.ts'
import { findRecordAction, type RecordAction } from './record-action.ts'

const TONES = { completed: 'ok', failed: 'bad', cancelled: 'neutral' } as const
const NO_MODELS: ReadonlySet<string> = new Set()

/** Ended operations with their outcome and what can follow. */
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
    <div className="card record">
      <table className="tbl two">
        <thead>
          <tr>
            <th scope="col">{t('column.time')}</th>
            <th scope="col">{t('column.kind')}</th>
            <th scope="col">{t('column.target')}</th>
            <th scope="col">{t('column.outcome')}</th>
            <th scope="col" className="num">
              {t('column.took')}
            </th>
            <th scope="col">
              <span className="vh">{t('column.action')}</span>
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
      <td className="free m t2">
        <RelativeTime time={finishedAt} />
      </td>
      <td className="free m t2">{describeKind(record, t)}</td>
      <td className="main-c">
        <span className="med target">{name}</span>
        {error && <span className="meta target">{error}</span>}
      </td>
      <td className="free end-c">
        <Status tone={TONES[outcome]}>{t(`outcome.${word}`)}</Status>
      </td>
      <td className="num free m">{took >= 0 && formatDuration(took)}</td>
      <td className="num free m">{action && <RecordButton record={record} action={action} />}</td>
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
      <Link className="btn ghost sm" to={`/app/chat/${encodeURIComponent(name)}` as '/app'}>
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

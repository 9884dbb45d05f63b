import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../lib/api-client.ts'
import type { Failure } from '../../lib/chat/types.ts'
import { hasFeature, useSession } from '../../lib/session.ts'
import { IconButton } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Icon } from '../ui/icon.tsx'
import * as noticeStyles from '../ui/notice.module.css'
import { Badge } from '../ui/status.tsx'
import { TraceLink } from './trace-link.tsx'

/** The reason why the server refused the message below. The text stays in the composer to be changed. */
export function RefusalNotice({
  failure,
  text,
  model,
  hasMedia,
  onClose,
}: {
  readonly failure: Failure
  readonly text: string
  readonly model: string
  readonly hasMedia: boolean
  readonly onClose: () => void
}) {
  const { t } = useTranslation('chat')
  const isPrivate = failure.code === 'pii_blocked'
  return (
    <div className={`${noticeStyles.notice} ${noticeStyles.bad}`} role="alert">
      <Icon name="warn" />
      <div className="grow">
        {isPrivate ? (
          <>
            <b>{t('refused.private')}</b> {hasMedia && t('refused.media')}
            <Groups refusalId={failure.correlationId ?? ''} text={text} model={model} />
          </>
        ) : (
          <>
            <b>{t('refused.title')}</b> {failure.message}
          </>
        )}
        {failure.correlationId !== undefined && (
          <p className="row meta">
            {t('common:error.reference')} <code className="clip">{failure.correlationId}</code>
            <CopyButton text={failure.correlationId} label={t('common:error.copyReference')} />
            <TraceLink correlationId={failure.correlationId} />
          </p>
        )}
      </div>
      <IconButton small icon="x" label={t('common:close')} onClick={onClose} />
    </div>
  )
}

/** The groups of private data in a refused text, for viewers who may ask the filter. The refusal does not name them. */
function Groups({
  refusalId,
  text,
  model,
}: {
  readonly refusalId: string
  readonly text: string
  readonly model: string
}) {
  const { t } = useTranslation('chat')
  const { viewer } = useSession()
  const { data } = useQuery({
    // asked once for each refusal: every question is noted among the events of the filter
    queryKey: ['chat', 'refused-groups', refusalId],
    queryFn: ({ signal }) => unwrap(api.POST('/api/pii/analyze', { body: { text, model }, signal })),
    enabled: hasFeature(viewer, 'pii_filter') && text !== '',
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  const groups = [...new Set(data?.entities.map(({ entity_type }) => entity_type))]
  return groups.length === 0 ? null : (
    <p className="row wrap">
      {t('refused.found')}
      {groups.map((group) => (
        <Badge key={group} tone="bad">
          {group}
        </Badge>
      ))}
    </p>
  )
}

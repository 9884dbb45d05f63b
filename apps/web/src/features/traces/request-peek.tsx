import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { buttonClass } from '../../components/ui/button.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { Icon } from '../../components/ui/icon.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import { root } from '../../lib/base-path.ts'
import { useCapabilities } from '../../lib/capabilities.ts'
import { formatClock, formatDuration, formatNumber } from '../../lib/format.ts'
import { type RequestTrace, requestQuery } from './api.ts'
import { isStreamed, readBody, toCurl } from './bodies.ts'
import { BodyTabs } from './body-tabs.tsx'
import { Peek } from './peek.tsx'
import { RequestStatus } from './request-status.tsx'
import type { TraceList } from './use-trace-list.ts'
import { Waterfall } from './waterfall-view.tsx'

/** One request: its caller, its route, its times and its bodies. */
export function RequestPeek({
  id,
  list: { held, goNext, goPrevious },
  onClose,
}: {
  readonly id: string
  readonly list: TraceList<RequestTrace>
  readonly onClose: () => void
}) {
  const { t } = useTranslation('traces')
  const query = useQuery(requestQuery(id))
  // the row of the list has all but the bodies
  const head = query.data ?? held?.rows.find((row) => row.id === id)
  return (
    <Peek
      title={head === undefined ? '' : `${head.request.method} ${head.request.path}`}
      label={t('peek.request')}
      about={
        head && (
          <>
            <RequestStatus trace={head} />
            <span className="separator" />
            {formatClock(head.timestamp, { day: true })}
            <span className="separator" />
            {formatDuration(head.duration / 1e6)}
          </>
        )
      }
      {...{ goNext, goPrevious, onClose }}
      footer={query.data && <Actions trace={query.data} />}
    >
      <QueryView query={query} lines={8}>
        {(trace) => (
          <>
            {trace.error !== undefined && (
              <Notice tone={trace.failed === true ? 'bad' : 'warn'}>
                {trace.error_code !== undefined && <b>{trace.error_code} </b>}
                {trace.error}
              </Notice>
            )}
            <Facts trace={trace} />
            <Waterfall trace={trace} />
            <BodyTabs trace={trace} />
          </>
        )}
      </QueryView>
    </Peek>
  )
}

function Facts({ trace }: { readonly trace: RequestTrace }) {
  const { t } = useTranslation('traces')
  const { model, served_model: served, user_name: name, user_id: user, correlation_id: correlation } = trace
  const { prompt_tokens: prompt, completion_tokens: completion, phases, duration } = trace
  const streamMs = duration / 1e6 - (phases.first_token ?? 0)
  const rate =
    isStreamed(trace) && completion !== undefined && completion > 1 && streamMs > 0
      ? (completion / streamMs) * 1000
      : undefined
  return (
    <dl className="facts">
      <dt>{t('fact.model')}</dt>
      <dd className="row">
        <span className="clip">{model ?? t('fact.none')}</span>
        {served !== undefined && served !== model && (
          <>
            <Icon name="chevron-right" small />
            <span className="clip">{served}</span>
          </>
        )}
      </dd>
      <dt>{t('fact.user')}</dt>
      <dd title={user}>{name || user}</dd>
      {prompt !== undefined && (
        <>
          <dt>{t('fact.tokens')}</dt>
          <dd>
            {t('fact.tokensInOut', { in: formatNumber(prompt), out: formatNumber(completion ?? 0) })}{' '}
            {rate !== undefined && <span className="faint">{t('fact.rate', { rate: formatNumber(rate, 1) })}</span>}
          </dd>
        </>
      )}
      <dt>{t('fact.correlation')}</dt>
      <dd className="row">
        <span className="monospace clip">{correlation}</span>
        <CopyButton text={correlation} label={t('fact.copyCorrelation')} />
      </dd>
    </dl>
  )
}

function Actions({ trace: { request, served_model: served, timestamp } }: { readonly trace: RequestTrace }) {
  const { t } = useTranslation('traces')
  const { backend_logs: hasLogs } = useCapabilities()
  const body = readBody(request.body)
  const text = 'text' in body ? body.text : undefined
  return (
    <>
      {request.body_truncated === true || body.kind === 'file' ? (
        <span className="meta">{t('peek.noCurl')}</span>
      ) : (
        <CopyButton showLabel label={t('peek.curl')} text={toCurl(request, { body: text, origin: root.href })} />
      )}
      {hasLogs && served !== undefined && (
        <Link
          className={buttonClass('small')}
          to="/app/backends/logs/$model"
          params={{ model: served }}
          search={{ at: Date.parse(timestamp) }}
        >
          <Icon name="raw" small />
          {t('peek.log')}
        </Link>
      )}
    </>
  )
}

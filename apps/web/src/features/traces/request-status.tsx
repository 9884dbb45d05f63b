import { useTranslation } from 'react-i18next'
import { Status } from '../../components/ui/status.tsx'
import type { RequestTrace } from './api.ts'

/** The status of a reply; 0 while the request runs, 499 when its client left. A stream that broke off has failed. */
export function RequestStatus({ trace }: { readonly trace: Pick<RequestTrace, 'response' | 'failed'> }) {
  const { t } = useTranslation('traces')
  const { status } = trace.response
  if (status === 0) return <Status tone="run">{t('status.running')}</Status>
  if (status === 499) return <Status>499</Status>
  if (trace.failed === true && status < 400)
    return (
      <Status tone="bad">
        <span title={t('status.brokeOff', { status })}>{t('status.failed')}</span>
      </Status>
    )
  const tone = status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'ok'
  return <Status tone={tone}>{status}</Status>
}

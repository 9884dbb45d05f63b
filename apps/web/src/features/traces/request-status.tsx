import { useTranslation } from 'react-i18next'
import { Status } from '../../components/ui/status.tsx'

/** The status of a reply; 0 while the request runs, 499 when its client left. */
export function RequestStatus({ status }: { readonly status: number }) {
  const { t } = useTranslation('traces')
  if (status === 0) return <Status tone="run">{t('status.running')}</Status>
  if (status === 499) return <Status>499</Status>
  const tone = status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'ok'
  return <Status tone={tone}>{status}</Status>
}

import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { OffNotice } from '../../components/ui/off-notice.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'
import { switchTracingOn, tracingQuery } from './api.ts'

/** Says that the server records nothing, and offers the switch that starts recording. */
export function TracingOff() {
  const { t } = useTranslation('traces')
  const { runtime_settings: canSwitch } = useCapabilities()
  const tracing = useQuery({ ...tracingQuery, enabled: canSwitch })
  if (tracing.data === undefined || tracing.data.isOn) return null
  return (
    <OffNotice title={t('off.title')} about={t('off.about')} action={t('off.switchOn')} onSwitchOn={switchTracingOn} />
  )
}

import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { OffNotice } from '../../components/ui/off-notice.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'
import { loggingQuery, switchLoggingOn } from './api.ts'

/** Says that the server keeps no output, with the switch that begins it. */
export function LoggingOff() {
  const { t } = useTranslation('logs')
  const { runtime_settings: canSwitch } = useCapabilities()
  const logging = useQuery({ ...loggingQuery, enabled: canSwitch })
  if (logging.data !== false) return null
  return (
    <OffNotice title={t('off.title')} about={t('off.about')} action={t('off.switchOn')} onSwitchOn={switchLoggingOn} />
  )
}

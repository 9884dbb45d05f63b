import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'
import { useConnection } from '../../lib/connection.ts'
import { loggingQuery, switchLoggingOn } from './api.ts'

/** Says that the server keeps no output, with the switch that begins it. */
export function LoggingOff() {
  const { t } = useTranslation('logs')
  const { runtime_settings: canSwitch } = useCapabilities()
  const { state } = useConnection()
  const logging = useQuery({ ...loggingQuery, enabled: canSwitch })
  const on = useMutation({ mutationFn: switchLoggingOn })
  if (logging.data !== false) return null
  return (
    <div className="off">
      <Notice
        tone="warn"
        actions={
          <Button small busy={on.isPending} disabled={state === 'offline'} onClick={() => on.mutate()}>
            {t('off.switchOn')}
          </Button>
        }
      >
        <b>{t('off.title')}</b> {t('off.about')}
      </Notice>
      {on.isError && <ErrorBlock error={on.error} />}
    </div>
  )
}

import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'
import { useConnection } from '../../lib/connection.ts'
import { switchTracingOn, tracingQuery } from './api.ts'

/** Says that the server records nothing, with the switch that begins it. */
export function TracingOff() {
  const { t } = useTranslation('traces')
  const { runtime_settings: canSwitch } = useCapabilities()
  const { state } = useConnection()
  const tracing = useQuery({ ...tracingQuery, enabled: canSwitch })
  const on = useMutation({ mutationFn: switchTracingOn })
  if (tracing.data === undefined || tracing.data.isOn) return null
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

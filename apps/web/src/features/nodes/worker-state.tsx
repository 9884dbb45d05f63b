import { useTranslation } from 'react-i18next'
import { Status } from '../../components/ui/status.tsx'
import type { Worker } from '../../lib/workers.ts'

const TONES = { pending: 'warn', healthy: 'ok', draining: 'run', unhealthy: 'bad', offline: 'neutral' } as const

/** The state of a worker. */
export function WorkerState({ state }: { readonly state: Worker['status'] }) {
  const { t } = useTranslation('nodes')
  return <Status tone={TONES[state]}>{t(`state.${state}`)}</Status>
}

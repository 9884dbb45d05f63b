import { useTranslation } from 'react-i18next'
import type { Replica } from '../../lib/workers.ts'
import { Status } from '../ui/status.tsx'

const TONES = { staging: 'run', loading: 'run', loaded: 'ok', unloading: 'neutral', idle: 'neutral' } as const

/** The state of a model on a worker. */
export function ReplicaState({ state }: { readonly state: Replica['state'] }) {
  const { t } = useTranslation('nodes')
  return <Status tone={TONES[state]}>{t(`replicaState.${state}`)}</Status>
}

import { useTranslation } from 'react-i18next'
import { Status } from '../ui/status.tsx'

const TONES = { pending: 'neutral', running: 'run', completed: 'ok', failed: 'bad', cancelled: 'warn' } as const

/** The state of a job in a word. */
export function JobState({ status }: { readonly status: keyof typeof TONES }) {
  const { t } = useTranslation('agents')
  return <Status tone={TONES[status]}>{t(`job.state.${status}`)}</Status>
}

import { TraceLink } from '../../components/chat/trace-link.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { ApiError } from '../../lib/api-error.ts'
import { useObservable } from '../../lib/chat/observable.ts'
import { reader } from '../../lib/media/read-aloud.ts'

/** Says why an answer was not read aloud. */
export function ReadingFault({ id }: { readonly id: string }) {
  const reading = useObservable(reader.reading)
  if (reading.phase !== 'failed' || reading.id !== id) return null
  const { error } = reading
  const correlationId = error instanceof ApiError ? error.correlationId : undefined
  return <ErrorBlock error={error} actions={<TraceLink correlationId={correlationId} />} />
}

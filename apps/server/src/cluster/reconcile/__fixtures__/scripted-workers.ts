import { SvcError } from '@svc/errors'
import type { Messenger } from '../../contract/messenger.ts'
import { toToken } from '../../contract/subjects.ts'

/** What a worker does with a stop. */
type StopMood =
  | 'ends'
  /** Frees the model, yet the process goes on. */
  | 'frees'
  /** Ends the process and tells an error, as a backend without `Free` makes it. */
  | 'ends with an error'
  /** The reply is no reply. */
  | 'garbles'

interface Process {
  readonly model: string
  readonly index: number
  readonly address: string
}

/** A worker that a test plays. */
export interface ScriptedWorker {
  /** By `<model>#<index>`. */
  readonly processes: Map<string, Process>
  run(model: string, index: number, address: string): void
  mood: StopMood
  isThere: boolean
  /** Called before a request is answered; its error is that of the request. */
  onRequest: (topic: string) => Promise<void> | void
  /** Stops that were asked for. */
  readonly stops: Record<string, unknown>[]
}

/** Workers behind a messenger, which answer as the reference's worker does. */
export function createScriptedWorkers(): {
  readonly messenger: Messenger & { isConnected: boolean }
  worker(id: string): ScriptedWorker
  /** Subjects that were asked. */
  readonly asked: string[]
} {
  const workers = new Map<string, ScriptedWorker>()
  const asked: string[] = []
  const worker = (id: string): ScriptedWorker => {
    const known = workers.get(toToken(id))
    if (known !== undefined) return known
    const processes = new Map<string, Process>()
    const created: ScriptedWorker = {
      processes,
      run: (model, index, address) => void processes.set(`${model}#${index}`, { model, index, address }),
      mood: 'ends',
      isThere: true,
      onRequest: () => undefined,
      stops: [],
    }
    workers.set(toToken(id), created)
    return created
  }
  const end = () => () => undefined
  const messenger = {
    isConnected: true,
    publish() {},
    subscribe: end,
    serve: end,
    onConnection: end,
    close: () => Promise.resolve(),
    async request(subject: string, payload: unknown, { signal }: { readonly signal: AbortSignal }): Promise<unknown> {
      signal.throwIfAborted()
      if (!messenger.isConnected) throw new SvcError('unavailable', 'not connected', { code: 'bus_disconnected' })
      asked.push(subject)
      const [, id = '', ...rest] = subject.split('.')
      const topic = rest.join('.')
      const target = workers.get(id)
      if (target === undefined || !target.isThere) throw unheard()
      await target.onRequest(topic)
      signal.throwIfAborted()
      return topic === 'model.stop' ? stop(target, payload as Record<string, unknown>) : listOf(target)
    },
  }
  return { messenger, worker, asked }
}

const unheard = (): SvcError => new SvcError('unavailable', 'nobody answers', { code: 'no_responders' })

function listOf({ processes }: ScriptedWorker): unknown {
  const models = [...processes.values()].map(({ model, index, address }) => ({
    model_id: model,
    replica_index: index,
    address,
  }))
  return { models: models.length === 0 ? null : models }
}

function stop(worker: ScriptedWorker, request: Record<string, unknown>): unknown {
  worker.stops.push(request)
  if (worker.mood === 'garbles') return 'no'
  const key = String(request['process_key'])
  const process = worker.processes.get(key)
  const reply = { matched: process !== undefined, freed: false, terminated: false, process_key: key }
  if (process === undefined) return reply
  const expected = request['expected_address']
  if (expected !== '' && expected !== process.address) return { ...reply, error: 'address mismatch: another process' }
  if (worker.mood === 'frees') return { ...reply, freed: true }
  worker.processes.delete(key)
  const error = worker.mood === 'ends with an error' ? { error: 'Free is unimplemented' } : { freed: true }
  return { ...reply, terminated: true, address: process.address, ...error }
}

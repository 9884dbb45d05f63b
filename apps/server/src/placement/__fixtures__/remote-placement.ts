import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createBackendClient } from '@svc/backend-client'
import { SvcError } from '@svc/errors'
import { sourceArguments } from '@svc/test-kit'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { ModelLease } from '../../residency/residency.ts'
import type { Placement } from '../placement.ts'
import { type Answer, fromSentError, type Question, receive, send, toSentError } from './remote-messages.ts'

/** A placement whose models run in another process. Calls go straight to their backends. */
export interface RemotePlacement {
  readonly placement: Placement
  running(): Promise<readonly { readonly pid?: number | undefined; readonly inFlight: number }[]>
  /** Ends the place with its backends. */
  endPlace(): Promise<void>
  /** Cuts the connection. */
  cut(): void
}

/** A process with models. */
export interface PlacementProcess extends AsyncDisposable {
  readonly child: ChildProcess
  /** Becomes a member of the placement of a place: one folder. */
  open(folder: string): Promise<RemotePlacement>
}

/** Starts the process. */
export async function startPlacementProcess(): Promise<PlacementProcess> {
  const program = new URL('placement-process.ts', import.meta.url)
  const child = spawn(process.execPath, sourceArguments(program), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [{ port }] = await once(child, 'message')
  return {
    child,
    open: (folder) => openRemote(port, folder),
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

async function openRemote(port: number, folder: string): Promise<RemotePlacement> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const asked = new Map<number, (answer: Answer) => void>()
  let last = 0
  const gone = { kind: 'unavailable', code: 'place_gone', message: 'the place of the model is gone' } as const
  receive<Answer>(socket, (answer) => asked.get(answer.id)?.(answer))
  socket.on('close', () => {
    for (const [id, answer] of asked) answer({ id, error: gone })
  })
  async function ask(question: Question): Promise<Answer> {
    const { id } = question
    const answered = new Promise<Answer>((resolve) => asked.set(id, resolve))
    if (socket.destroyed) throw fromSentError(gone)
    send(socket, question)
    const answer = await answered
    asked.delete(id)
    if (answer.error !== undefined) throw fromSentError(answer.error)
    return answer
  }
  async function askForModel(
    what: 'place' | 'load',
    { name, options }: ModelConfig,
    signal: AbortSignal,
  ): Promise<Answer> {
    last += 1
    const id = last
    const leave = (): void => {
      send(socket, { ask: 'leave', id })
      asked.get(id)?.({ id, error: toAbort(signal) })
    }
    signal.addEventListener('abort', leave)
    try {
      return await ask({ ask: what, id, model: { name, options } })
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }
  await ask({ ask: 'open', id: 0, folder })
  return {
    placement: {
      async place(model, { signal }): Promise<ModelLease> {
        const { id, lease } = await askForModel('place', model, signal)
        if (lease === undefined) throw fromSentError(gone)
        const { address, backend, place } = lease
        const client = createBackendClient({ address })
        return {
          client, backend, place,
          release() {
            client.close()
            send(socket, { ask: 'release', id })
          },
          reportFailure: (error) => send(socket, { ask: 'failed', id, error: toSentError(error) }),
          hasDied: async () => (await ask({ ask: 'died', id })).died === true,
        }
      },
      load: async (model, { signal }) => void (await askForModel('load', model, signal)),
    },
    async running() {
      last += 1
      return (await ask({ ask: 'running', id: last })).running ?? []
    },
    async endPlace() {
      last += 1
      await ask({ ask: 'close', id: last })
    },
    cut: () => socket.destroy(),
  }
}

function toAbort({ reason }: AbortSignal): ReturnType<typeof toSentError> {
  return SvcError.is(reason)
    ? toSentError(reason)
    : { kind: 'cancelled', code: 'cancelled', message: 'the request was cancelled' }
}

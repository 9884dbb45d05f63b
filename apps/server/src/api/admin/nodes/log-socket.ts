import { SvcError } from '@svc/errors'
import type { Socket } from '../../../http/websocket.ts'
import type { Clock } from '../../../ports.ts'
import { readWorkerSocket, type WorkerSocket } from './worker-socket.ts'

/** Age at which a socket ends. Its client opens another one and is authenticated again. */
const MAX_AGE_MS = 60 * 60_000

/**
 * Passes on what a worker sends of the output of a model: all present lines in the first message, then each line as it
 * comes. Ends with either side.
 *
 * @param find finds the socket at the worker; what it throws closes the socket
 */
export async function serveWorkerLogs(
  socket: Socket,
  find: () => Promise<WorkerSocket>,
  clock: Pick<Clock, 'sleep'>,
): Promise<void> {
  const ended = new AbortController()
  const { signal } = ended
  const listening = listen(socket, ended)
  let isOld = false
  const aging = clock.sleep(MAX_AGE_MS, { signal }).then(
    () => {
      isOld = true
      ended.abort()
    },
    () => undefined,
  )
  try {
    for await (const text of readWorkerSocket(await find(), signal)) await socket.send(text)
    socket.close(1001, 'the worker has ended the output')
  } catch (error) {
    if (isOld) socket.close(1001, 'the socket has been open for 60 minutes')
    else if (!signal.aborted) {
      if (!SvcError.is(error)) throw error
      // Clients come back after 1013.
      socket.close(error.kind === 'not_found' ? 1008 : 1013, error.message)
    }
  } finally {
    ended.abort()
    await Promise.all([listening, aging])
  }
}

/** Reads on while the socket is open: messages of a client change nothing. */
async function listen(socket: Socket, ended: AbortController): Promise<void> {
  try {
    for await (const _message of socket.messages({ until: ended.signal }));
  } finally {
    ended.abort()
  }
}

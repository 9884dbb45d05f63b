import type { EngineSession } from '../child/engine-pool.ts'
import type { SherpaCall } from './protocol.ts'

/**
 * Asks the process of a model. The type of the answer is that of the request in `sherpa-process.mjs`: both files are of
 * this package.
 */
export async function askSession<Result>(session: EngineSession, request: SherpaCall): Promise<Result> {
  const replies = session.call(request)
  for (;;) {
    const { value, done } = await replies.next()
    if (done === true) return value as Result
  }
}

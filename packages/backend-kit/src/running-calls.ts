import { Metadata } from '@grpc/grpc-js'
import type { HandlerContext } from './handlers.ts'

/** The part of a grpc-js server call that every kind of call has. */
interface ServerCall {
  readonly cancelled: boolean
  readonly metadata: Metadata
  on(event: 'cancelled', listener: () => void): unknown
}

/** The running calls, so that a stop can abort them. */
export interface RunningCalls {
  /** Runs a call; its signal aborts when the caller is gone or the backend has to stop. */
  track<T>(call: ServerCall, run: (context: HandlerContext, trailers: Metadata) => Promise<T>): Promise<T>
  /** Aborts every running call with a reason that becomes its status. */
  abort(reason: unknown): void
}

/** Creates an empty set of calls. */
export function createRunningCalls(): RunningCalls {
  const running = new Set<AbortController>()
  return {
    async track(call, run) {
      const controller = new AbortController()
      running.add(controller)
      call.on('cancelled', () => controller.abort())
      if (call.cancelled) controller.abort()
      try {
        const trailers = new Metadata()
        const context: HandlerContext = {
          signal: controller.signal,
          metadata: textMetadata(call.metadata),
          addTrailer: (name, value) => trailers.set(name, value),
        }
        return await run(context, trailers)
      } finally {
        running.delete(controller)
      }
    },
    abort(reason) {
      for (const controller of running) controller.abort(reason)
    },
  }
}

function textMetadata(metadata: Metadata): Record<string, string> {
  const entries = Object.entries(metadata.getMap()).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0] !== 'authorization',
  )
  return Object.fromEntries(entries)
}

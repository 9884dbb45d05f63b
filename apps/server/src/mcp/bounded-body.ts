import { SvcError } from '@svc/errors'
import type { OutboundResponse } from '../outbound/response.ts'
import { createEventGuard } from './event-guard.ts'

/** The end of a body. */
export interface BodyEnd {
  /** Whether a message was larger than allowed. */
  readonly isTooLarge: boolean
  /** Whether an event had an id, so that the stream can be resumed. */
  readonly hasIds: boolean
}

/**
 * Gives the body of a reply as a stream that fails at a message above the limit: the whole body, or one event. Every
 * kind of end closes the connection and calls `onEnd` once.
 */
export function boundBody(
  reply: OutboundResponse,
  options: {
    readonly isEvents: boolean
    readonly maxBytes: number
    readonly tooLarge: () => SvcError
    readonly onEnd: (end: BodyEnd) => void
  },
): ReadableStream<Uint8Array> {
  const { isEvents, maxBytes, tooLarge } = options
  const guard = createEventGuard(maxBytes)
  const iterator = reply.body[Symbol.asyncIterator]()
  let bytes = 0
  let isOver = false

  const end = (isTooLarge: boolean): void => {
    if (isOver) return
    isOver = true
    options.onEnd({ isTooLarge, hasIds: guard.hasIds })
  }
  const refuse = async (): Promise<never> => {
    end(true)
    await reply.close()
    throw tooLarge()
  }
  async function next(): Promise<Uint8Array | undefined> {
    try {
      const { value, done } = await iterator.next()
      return done === true ? undefined : value
    } catch (error) {
      if (SvcError.is(error) && error.kind === 'too_large') return refuse()
      end(false)
      throw error
    }
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await next()
        if (chunk === undefined) {
          end(false)
          return controller.close()
        }
        bytes += chunk.length
        if (isEvents ? !guard.admit(chunk) : bytes > maxBytes) return refuse()
        controller.enqueue(chunk)
      },
      async cancel() {
        end(false)
        await reply.close()
      },
    },
    { highWaterMark: 0 },
  )
}

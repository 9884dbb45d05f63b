import { SvcError } from '@svc/errors'
import type { OutboundResponse } from '../outbound/response.ts'
import { createEventGuard } from './event-guard.ts'
import { createEventShape, createMessageShape } from './message-shape.ts'

/** The end of a body. */
export interface BodyEnd {
  /** Why a message was refused. @default all were let through */
  readonly refusal?: SvcError | undefined
  /** Whether an event had an id, so that the stream can be resumed. */
  readonly hasIds: boolean
}

/**
 * Gives the body of a reply as a stream that fails at a message above the limits: the whole body, or one event. Every
 * kind of end closes the connection and calls `onEnd` once.
 */
export function boundBody(
  reply: OutboundResponse,
  options: {
    readonly isEvents: boolean
    readonly maxBytes: number
    readonly tooLarge: () => SvcError
    readonly tooComplex: () => SvcError
    readonly onEnd: (end: BodyEnd) => void
  },
): ReadableStream<Uint8Array> {
  const { isEvents, maxBytes, tooLarge, tooComplex } = options
  const guard = createEventGuard(maxBytes)
  const shape = isEvents ? createEventShape() : createMessageShape()
  const iterator = reply.body[Symbol.asyncIterator]()
  let bytes = 0
  let isOver = false

  const end = (refusal?: SvcError): void => {
    if (isOver) return
    isOver = true
    options.onEnd({ refusal, hasIds: guard.hasIds })
  }
  const refuse = async (refusal: SvcError): Promise<never> => {
    end(refusal)
    await reply.close()
    throw refusal
  }
  async function next(): Promise<Uint8Array | undefined> {
    try {
      const { value, done } = await iterator.next()
      return done === true ? undefined : value
    } catch (error) {
      if (SvcError.is(error) && error.kind === 'too_large') return refuse(tooLarge())
      end()
      throw error
    }
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await next()
        if (chunk === undefined) {
          end()
          return controller.close()
        }
        bytes += chunk.length
        if (isEvents ? !guard.admit(chunk) : bytes > maxBytes) return refuse(tooLarge())
        if (!shape.admit(chunk)) return refuse(tooComplex())
        controller.enqueue(chunk)
      },
      async cancel() {
        end()
        await reply.close()
      },
    },
    { highWaterMark: 0 },
  )
}

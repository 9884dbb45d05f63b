import { type CodedMethod, frameRequest } from '../codec/codecs.ts'
import type { Connection } from '../connection/connection.ts'
import { BackendError, toAbortError } from '../errors.ts'
import type { PartialMessage } from '../method.ts'
import { Call } from './call.ts'
import { checkMetadata } from './call-headers.ts'
import type { StreamOptions } from './options.ts'
import { ReplyStream } from './reply-stream.ts'
import { RequestQueue } from './request-queue.ts'

/** A call that is open in both directions. Reading it gives the replies, once. */
export interface DuplexCall<Request, Reply> extends AsyncIterable<Reply>, AsyncDisposable {
  /**
   * Sends one message; resolves when there is room for another, or when no more can be sent. A message that cannot be
   * written ends the call with the reason.
   */
  write(message: PartialMessage<Request>): Promise<void>
  /** Says that no more messages follow; replies may still come. Later messages are dropped. */
  end(): void
  /** Breaks the call off. */
  cancel(): void
}

/**
 * Opens a method of many requests and many replies. The call starts at once.
 *
 * @throws an error for an aborted signal, a closed client and metadata that cannot be sent
 */
export function openDuplex<Request, Reply>(
  connection: Connection,
  method: CodedMethod<Request, Reply>,
  options: StreamOptions,
): DuplexCall<Request, Reply> {
  const { path, codec } = method
  if (options.signal?.aborted) throw toAbortError(options.signal, path)
  checkMetadata(options.metadata)
  connection.checkOpen(path)
  const requests = new RequestQueue()
  const replies = new ReplyStream<Reply>({
    path,
    decode: codec.decode,
    options,
    createCall: (receiver) =>
      new Call(
        connection,
        { path, options, send: (stream) => requests.sendTo(stream) },
        {
          onMessage: (bytes, running) => receiver.onMessage(bytes, running),
          onEnd(error, running) {
            requests.close()
            receiver.onEnd(error, running)
          },
        },
      ),
  })
  replies.start()
  const cancel = () => replies.end(new BackendError('cancelled', 'the call was cancelled', { details: { rpc: path } }))
  return {
    async write(message) {
      if (!requests.isOpen) return
      let frame: Buffer
      try {
        frame = frameRequest(method, message, connection.maxMessageBytes)
      } catch (error) {
        return replies.end(error instanceof Error ? error : new Error(String(error)))
      }
      await requests.write(frame)
    },
    end: () => requests.end(),
    cancel,
    [Symbol.asyncIterator]: () => replies,
    async [Symbol.asyncDispose]() {
      cancel()
    },
  }
}

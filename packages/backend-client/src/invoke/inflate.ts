import { gunzip, inflate } from 'node:zlib'
import type { CallStatus } from '../call-status.ts'
import { GRPC } from '../grpc-status.ts'

/** The encodings that a reply may have, as the header `grpc-accept-encoding` names them. */
export const ACCEPTED_ENCODINGS = 'identity,deflate,gzip'

const INFLATERS: Readonly<Record<string, typeof gunzip>> = { gzip: gunzip, deflate: inflate }

/** Options of {@link inflateMessage}. */
interface InflateOptions {
  /** Value of the header `grpc-encoding`. */
  readonly encoding: string
  readonly maxMessageBytes: number
}

/** Inflates a message, off this thread, and stops at the limit of a message. `done` never comes before the return. */
export function inflateMessage(
  bytes: Buffer,
  { encoding, maxMessageBytes }: InflateOptions,
  done: (result: Buffer | CallStatus) => void,
): void {
  const run = Object.hasOwn(INFLATERS, encoding) ? INFLATERS[encoding] : undefined
  if (run === undefined) {
    const details = `received a message that is compressed in a way that was not announced or is unknown: ${encoding.slice(0, 40)}`
    process.nextTick(done, { code: GRPC.INTERNAL, details })
    return
  }
  run(bytes, { maxOutputLength: maxMessageBytes }, (error, result) => {
    if (error === null) return done(result)
    const isTooLarge = 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    if (!isTooLarge) return done({ code: GRPC.INTERNAL, details: `received a message that is not ${encoding}` })
    const details = `received a message that inflates to more than the limit of ${maxMessageBytes} bytes`
    done({ code: GRPC.RESOURCE_EXHAUSTED, details })
  })
}

import { SvcError } from '@svc/errors'
import {
  type BackendClient,
  createBackendClient,
  type GrpcClient,
  pushReplies,
  type StreamOptions,
} from '../../src/index.ts'

/** How a call of the main path is made. */
export type CallKind = 'unary' | 'stream'

export const CALL_KINDS: readonly CallKind[] = ['unary', 'stream']

/** How a call ended: the texts that came, and the failure if there was one. */
export interface Outcome {
  readonly texts: readonly string[]
  readonly kind?: string
  readonly code?: string
  readonly message?: string
  readonly grpcCode?: unknown
}

/** Makes one call and tells how it ended. */
export async function settle(client: BackendClient, kind: CallKind, options: StreamOptions = {}): Promise<Outcome> {
  const texts: string[] = []
  try {
    if (kind === 'unary') texts.push((await client.predict({ Prompt: 'x' }, options)).message.toString())
    else for await (const reply of client.predictStream({ Prompt: 'x' }, options)) texts.push(reply.message.toString())
    return { texts }
  } catch (error) {
    return { texts, ...describe(error) }
  }
}

/** Makes one call whose replies are pushed. */
export function settlePushed(client: BackendClient, options: StreamOptions = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const texts: string[] = []
    pushReplies(client.predictStream({ Prompt: 'x' }, options), {
      onReplies: (replies) => texts.push(...replies.map(({ message }) => message.toString())),
      onEnd: (error) => resolve(error === undefined ? { texts } : { texts, ...describe(error) }),
    })
  })
}

/** Largest message that {@link settleAlone} takes. */
export const ALONE_MAX_BYTES = 1024 * 1024

/** Makes one call over a client of its own. */
export async function settleAlone(grpcClient: GrpcClient, address: string, kind: CallKind): Promise<Outcome> {
  await using client = createBackendClient({ grpcClient, address, maxMessageBytes: ALONE_MAX_BYTES })
  return await settle(client, kind)
}

function describe(error: unknown) {
  if (!SvcError.is(error)) throw error
  const { kind, code, message, details } = error
  return { kind, code, message, grpcCode: details?.grpcCode }
}

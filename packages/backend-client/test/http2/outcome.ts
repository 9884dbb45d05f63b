import { SvcError } from '@svc/errors'
import { type BackendClient, createBackendClient, pushReplies, type StreamOptions } from '../../src/index.ts'

/** The way a call is made. The messages of a generated call go through generated code, others through our codecs. */
export type CallKind = 'unary' | 'stream' | 'generated unary' | 'generated stream' | 'duplex'

export const CALL_KINDS: readonly CallKind[] = ['unary', 'stream', 'generated unary', 'generated stream', 'duplex']

/** Whether a kind of calls has one reply or many. */
export const REPLIES = {
  unary: 'unary',
  'generated unary': 'unary',
  stream: 'stream',
  'generated stream': 'stream',
  duplex: 'stream',
} as const satisfies Record<CallKind, 'unary' | 'stream'>

/**
 * Makes one call with a text and gives the bytes of its replies. In each request and reply the text has the field
 * number 1; only a request of a duplex call holds it in a further message.
 */
export async function* readCall(
  client: BackendClient,
  kind: CallKind,
  { text = 'x', ...options }: StreamOptions & { readonly text?: string } = {},
): AsyncGenerator<Buffer, void, void> {
  if (kind === 'unary') yield (await client.predict({ Prompt: text }, options)).message
  else if (kind === 'generated unary') yield Buffer.from((await client.tts({ text }, options)).message)
  else if (kind === 'duplex') {
    await using call = client.audioTransformStream(options)
    void call.write({ frame: { audioPcm: Buffer.from(text) } }).then(() => call.end())
    for await (const { pcm } of call) yield pcm
  } else {
    const replies =
      kind === 'stream' ? client.predictStream({ Prompt: text }, options) : client.ttsStream({ text }, options)
    for await (const { message } of replies) yield message
  }
}

/** Result of a call: the texts that came, and the failure if there was one. */
export interface Outcome {
  readonly texts: readonly string[]
  readonly kind?: string
  readonly code?: string
  readonly message?: string
  readonly grpcCode?: unknown
}

/** Makes one call and tells how it ended. */
export async function settle(
  client: BackendClient,
  kind: CallKind,
  options: Parameters<typeof readCall>[2] = {},
): Promise<Outcome> {
  const texts: string[] = []
  try {
    for await (const bytes of readCall(client, kind, options)) texts.push(bytes.toString())
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
export async function settleAlone(address: string, kind: CallKind): Promise<Outcome> {
  await using client = createBackendClient({ address, maxMessageBytes: ALONE_MAX_BYTES })
  return await settle(client, kind)
}

function describe(error: unknown) {
  if (!SvcError.is(error)) throw error
  const { kind, code, message, details } = error
  return { kind, code, message, grpcCode: details?.grpcCode }
}

import { SvcError } from '@svc/errors'
import { type ServerClient, toFields, toRows, toServerError } from '../remote-client.ts'

/** A message of a conversation. */
export interface ChatTurn {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** A part of an answer, in the order in which the model wrote it. */
export type AnswerPiece =
  | { readonly kind: 'text' | 'thinking'; readonly text: string }
  | { readonly kind: 'end'; readonly reason: string }

/** A conversation whose next turn is the model's. */
export interface Question {
  readonly model: string
  readonly messages: readonly ChatTurn[]
  readonly signal: AbortSignal
}

/**
 * Asks a model and gives its answer as it comes.
 *
 * @throws {SvcError} with the message of the server, also in mid-stream; `answer_cut` where the answer has no end; the
 *   signal's reason
 */
export async function* askModel(
  server: Pick<ServerClient, 'stream'>,
  { model, messages, signal }: Question,
): AsyncGenerator<AnswerPiece, void, undefined> {
  let hasEnded = false
  for await (const data of server.stream('/v1/chat/completions', { model, messages, stream: true }, { signal })) {
    if (data === '[DONE]') return
    const { error, choices } = toFields(readJson(data))
    if (error !== undefined) throw toServerError(readFault(error))
    const { delta, finish_reason: reason } = toRows(choices)[0] ?? {}
    const { content, reasoning, reasoning_content: thinking = reasoning } = toFields(delta)
    if (typeof thinking === 'string' && thinking !== '') yield { kind: 'thinking', text: thinking }
    if (typeof content === 'string' && content !== '') yield { kind: 'text', text: content }
    if (typeof reason !== 'string') continue
    hasEnded = true
    yield { kind: 'end', reason }
  }
  if (!hasEnded) throw new SvcError('upstream_failed', 'the answer ended early', { code: 'answer_cut' })
}

function readJson(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    throw toServerError('the server sent an event that is not JSON')
  }
}

function readFault(error: unknown): string {
  const message = typeof error === 'string' ? error : toFields(error).message
  return typeof message === 'string' && message !== '' ? message : 'the model failed'
}

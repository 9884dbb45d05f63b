import { readSse } from '@svc/test-kit'

/** Sentences of a long answer and of a short one. */
export const LONG = 30
export const SHORT = 4
/** Maximum time of a request, milliseconds. Longer than any time limit of the server that these runs reach. */
const PATIENCE_MS = 150_000

/** A request and its outcome. */
export interface Outcome {
  readonly model: string
  readonly url: string
  readonly stream: boolean
  /** `cut`: the connection broke, or was refused. `lost`: no answer, or one that is no answer. */
  readonly kind: 'served' | 'refused' | 'cut' | 'lost' | 'wrong model' | 'answered twice'
  readonly status?: number | undefined
  readonly detail: string
  /** Milliseconds. */
  readonly took: number
}

/** A request to send. */
export interface Asked {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly model: string
  readonly stream: boolean
  readonly long: boolean
  /** Called with the first piece of a stream. */
  readonly onPiece?: (() => void) | undefined
}

/** Sends a chat and judges the answer. Never rejects. */
export async function ask(asked: Asked): Promise<Outcome> {
  const { url, model, stream } = asked
  const begun = performance.now()
  const patience = AbortSignal.timeout(PATIENCE_MS)
  const verdict = await send(asked, patience).catch((error: unknown): Verdict => {
    const { message, cause } = error instanceof Error ? error : new Error(String(error))
    if (patience.aborted) return { kind: 'lost', detail: 'no answer in time' }
    return { kind: error instanceof SyntaxError ? 'lost' : 'cut', detail: `${message} ${String(cause ?? '')}`.trim() }
  })
  return { url, model, stream, ...verdict, took: Math.round(performance.now() - begun) }
}

type Verdict = Pick<Outcome, 'kind' | 'detail' | 'status'>

async function send({ url, headers, model, stream, long, onPiece }: Asked, signal: AbortSignal): Promise<Verdict> {
  const content = long ? 'A long answer, please.' : 'A brief answer, please.'
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content }] }),
    signal,
  })
  const { status } = reply
  if (status !== 200) return judgeRefusal(status, await reply.text())
  const expected = long ? LONG : SHORT
  if (!stream) {
    const text = readText(await reply.json(), 'message')
    return text === undefined ? { kind: 'lost', status, detail: 'no message' } : judgeText(text, model, expected)
  }
  return readStream(readSse(reply), { model, expected, onPiece })
}

async function readStream(
  events: AsyncIterable<{ readonly data: string }>,
  {
    model,
    expected,
    onPiece,
  }: { readonly model: string; readonly expected: number; readonly onPiece: Asked['onPiece'] },
): Promise<Verdict> {
  let text = ''
  let error: string | undefined
  let isWhole = false
  for await (const { data } of events) {
    if (data === '[DONE]') {
      isWhole = true
      continue
    }
    const event: unknown = JSON.parse(data)
    error ??= readError(event)
    const piece = readText(event, 'delta')
    if (piece === undefined || piece === '') continue
    text += piece
    onPiece?.()
  }
  if (error !== undefined) {
    const verdict = judgeText(text, model, undefined)
    return verdict.kind === 'wrong model' ? verdict : { kind: 'refused', status: 200, detail: error }
  }
  if (!isWhole) return { kind: 'lost', status: 200, detail: 'the stream ended without an end' }
  return judgeText(text, model, expected)
}

/** An error that the documents know, in the form of the route. */
function judgeRefusal(status: number, body: string): Verdict {
  const message = readError(JSON.parse(body))
  const isKnown = [500, 502, 503, 504].includes(status) && message !== undefined
  return { kind: isKnown ? 'refused' : 'lost', status, detail: message ?? body.slice(0, 300) }
}

function judgeText(text: string, model: string, expected: number | undefined): Verdict {
  const names = [...text.matchAll(/I am (\S+)\./g)].map(([, name]) => name)
  if (names.some((name) => name !== model)) return { kind: 'wrong model', status: 200, detail: text.slice(0, 300) }
  if (expected === undefined || names.length === expected) return { kind: 'served', status: 200, detail: '' }
  const kind = names.length > expected ? 'answered twice' : 'lost'
  return { kind, status: 200, detail: `${names.length} sentences of ${expected}: ${text.slice(0, 100)}` }
}

function readError(body: unknown): string | undefined {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined
  if (typeof error !== 'object' || error === null || !('message' in error)) return undefined
  return typeof error.message === 'string' ? error.message : undefined
}

function readText(body: unknown, part: 'message' | 'delta'): string | undefined {
  const { choices } = body as { readonly choices?: readonly Readonly<Record<string, { readonly content?: string }>>[] }
  return choices?.[0]?.[part]?.content ?? undefined
}

import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'

/** An error as it crosses a socket. */
export interface SentError {
  readonly kind: SvcError['kind']
  readonly code: string
  readonly message: string
  readonly retryAfterMs?: number | undefined
}

/** Questions of a member to the process with the models. The first question opens the place of a folder. */
export type Question =
  | { readonly ask: 'open'; readonly id: number; readonly folder: string }
  | { readonly ask: 'place' | 'load'; readonly id: number; readonly model: Pick<ModelConfig, 'name' | 'options'> }
  | { readonly ask: 'leave' | 'release' | 'died'; readonly id: number }
  | { readonly ask: 'failed'; readonly id: number; readonly error: SentError }
  | { readonly ask: 'running' | 'close'; readonly id: number }

/** The answer to a question. */
export interface Answer {
  readonly id: number
  readonly error?: SentError | undefined
  readonly lease?: { readonly address: string; readonly backend: string; readonly place: string } | undefined
  readonly died?: boolean | undefined
  readonly running?: readonly { readonly pid?: number | undefined; readonly inFlight: number }[] | undefined
}

/** Sends a message as a line. */
export function send(socket: Socket, message: Question | Answer): void {
  socket.write(`${JSON.stringify(message)}\n`)
}

/** Calls the listener with each message. */
export function receive<Message extends Question | Answer>(socket: Socket, onMessage: (message: Message) => void): void {
  const lines = createInterface({ input: socket })
  for (const source of [socket, lines]) source.on('error', () => undefined)
  // Both ends are of this test.
  lines.on('line', (line) => onMessage(JSON.parse(line) as Message))
}

export function toSentError(error: unknown): SentError {
  if (!SvcError.is(error)) return { kind: 'internal', code: 'internal', message: String(error) }
  const { kind, code, message, retryAfterMs } = error
  return { kind, code, message, retryAfterMs }
}

export function fromSentError({ kind, code, message, retryAfterMs }: SentError): SvcError {
  return new SvcError(kind, message, { code, retryAfterMs })
}

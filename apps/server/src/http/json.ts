import { HttpReply } from './http-reply.ts'

/** A JSON reply of a plain handler. */
export function json(value: unknown, options: { status?: number; headers?: Record<string, string> } = {}): HttpReply {
  return new HttpReply(JSON.stringify(value), {
    status: options.status ?? 200,
    headers: { 'content-type': 'application/json', ...options.headers },
  })
}

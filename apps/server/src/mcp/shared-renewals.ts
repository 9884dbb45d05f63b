import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Clock } from '../ports.ts'

/** Time within which the same renewal has the same answer, milliseconds. */
const SHARED_MS = 10_000

/** An answer of an authorization server. */
interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/**
 * Lets requests of one session share the renewal of their token. A token for renewals is often good for one use: of two
 * requests that find out at the same time that their token has ended, the second would lose the sign-in.
 */
export function shareRenewals(fetch: FetchLike, clock: Pick<Clock, 'monotonic'>): FetchLike {
  let last: { readonly key: string; readonly at: number; readonly answer: Promise<Answer> } | undefined

  async function renew(...[address, init]: Parameters<FetchLike>): Promise<Answer> {
    const reply = await fetch(address, init)
    return { status: reply.status, headers: reply.headers, text: await reply.text() }
  }

  return async (address, init) => {
    const body = init?.body instanceof URLSearchParams ? init.body : undefined
    if (body?.get('grant_type') !== 'refresh_token') return fetch(address, init)
    const key = `${String(address)} ${body.toString()}`
    const now = clock.monotonic()
    if (last?.key !== key || now - last.at > SHARED_MS) last = { key, at: now, answer: renew(address, init) }
    const { answer } = last
    try {
      const { status, headers, text } = await answer
      return new Response(text, { status, headers })
    } catch (error) {
      if (last?.answer === answer) last = undefined
      throw error
    }
  }
}

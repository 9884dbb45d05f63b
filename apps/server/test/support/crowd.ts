import { Agent, request } from 'node:http'

/** A reply of which nothing but its head counts. */
export interface CrowdReply {
  readonly status: number
  readonly retryAfter: string | undefined
}

/** A request of a crowd. */
export interface CrowdRequest {
  /** Base URL of the server. */
  readonly url: string
  readonly path: string
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}

/** Number of connections that a listener accepts at once. */
const MAX_SOCKETS = 400

/** Sends all requests at once, over as many connections as a listener takes. The replies come in the order of the requests. */
export async function sendAtOnce(requests: readonly CrowdRequest[]): Promise<readonly CrowdReply[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS })
  const send = ({ url, path, body, headers }: CrowdRequest): Promise<CrowdReply> =>
    new Promise((resolve, reject) => {
      const options = { method: 'POST', agent, headers: { 'content-type': 'application/json', ...headers } }
      const outgoing = request(new URL(path, url), options, (incoming) => {
        const status = incoming.statusCode ?? 0
        incoming.once('error', reject)
        incoming.once('end', () => resolve({ status, retryAfter: incoming.headers['retry-after'] }))
        incoming.resume()
      })
      outgoing.once('error', reject)
      outgoing.end(JSON.stringify(body))
    })
  try {
    return await Promise.all(requests.map(send))
  } finally {
    agent.destroy()
  }
}

/** Number of replies with each status. */
export function countStatuses(replies: readonly { readonly status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

import { setTimeout as sleep } from 'node:timers/promises'
import { BODY, type ClusterWorld, headers } from './cluster-servers.ts'
import { spread, toTable } from './figures.ts'
import { runLoad } from './load.ts'
import type { Measured } from './processes.ts'
import { CHAT_PATH } from './server.ts'

const PASSWORD = 'violet-Marble 92 otter'

async function send(url: string, body: object, fields: Readonly<Record<string, string>>): Promise<Response> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...fields },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  })
  if (!reply.ok) throw new Error(`${url}: ${reply.status} ${await reply.text()}`)
  return reply
}

/** A new account's key, as headers. */
async function createKey({ url }: Measured): Promise<Readonly<Record<string, string>>> {
  const form = { email: 'caller@site.example', password: PASSWORD, name: 'caller' }
  const cookie = (await send(`${url}/api/auth/register`, form, {})).headers.get('set-cookie')?.split(';')[0] ?? ''
  const reply = await send(`${url}/api/auth/api-keys`, { name: 'bench' }, { cookie, origin: url })
  const { key } = (await reply.json()) as { readonly key: string }
  return { authorization: `Bearer ${key}` }
}

/**
 * Counts the transactions of the database while a front end is at rest, and while it gets requests: with a shared key,
 * and with the key of an account.
 *
 * @returns a table of Markdown, and the processor time of front ends at rest
 */
export async function countQueries(
  world: ClusterWorld,
  load: { readonly connections: number; readonly seconds: number; readonly signal: AbortSignal },
): Promise<string> {
  const { connections, signal } = load
  const seconds = load.seconds * 2
  const [first] = world.frontEnds
  if (first === undefined) throw new Error('no front end')
  const during = async (work: () => Promise<number>): Promise<readonly [transactions: number, requests: number]> => {
    const begun = await world.countTransactions()
    const requests = await work()
    return [(await world.countTransactions()) - begun, requests]
  }
  const ask = (caller: Readonly<Record<string, string>>) => async (): Promise<number> =>
    (await runLoad({ url: first.url, path: CHAT_PATH, body: BODY, headers: caller, connections, seconds })).requests
  const account = await createKey(first)
  await ask(account)()
  const cpu = world.frontEnds.map((server) => server.cpuSeconds())
  const [atRest] = await during(async () => {
    await sleep(seconds * 1000, undefined, { signal })
    return 0
  })
  const restMs = world.frontEnds.map((server, index) => ((server.cpuSeconds() - (cpu[index] ?? 0)) * 1000) / seconds)
  const rows = [['at rest', '', String(atRest), '']]
  for (const [name, caller] of [
    ['shared key', headers],
    ['key of an account', account],
  ] as const) {
    const [transactions, requests] = await during(ask(caller))
    const more = Math.max(0, transactions - atRest)
    rows.push([name, String(requests), String(transactions), (more / requests).toFixed(4)])
  }
  const table = toTable([`${seconds} s`, 'requests', 'transactions', 'more than at rest, a request'], rows)
  return `${table}\n\nA front end at rest: ${spread(restMs, 1)} ms of CPU a second.`
}

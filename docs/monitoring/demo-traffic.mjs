// Sends traffic of every kind to a server, so that its metrics, its dashboard and its traces have something to show:
// whole and streamed chats with every model, requests that are refused, more requests at a time than a limit lets in,
// sign-ins, the removal of a model that is not there, and connections through the intercepting proxy.
//
//   node docs/monitoring/demo-traffic.mjs --url http://localhost:8080 --key KEY --seconds 60 --proxy localhost:8081
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://localhost:8080' },
    /** A shared key, or the key of an admin. */
    key: { type: 'string', default: '' },
    seconds: { type: 'string', default: '30' },
    /** Rounds that are run at least: a rate begins with the second one. */
    rounds: { type: 'string', default: '3' },
    /** Address of the intercepting proxy, where it runs. */
    proxy: { type: 'string', default: '' },
    /** Host and port that are asked through the proxy. */
    'proxied-host': { type: 'string', default: 'example.org:443' },
    /** Requests at a time, once in each round. */
    burst: { type: 'string', default: '16' },
  },
})
const PATIENCE_MS = 30_000
const headers = {
  'content-type': 'application/json',
  ...(values.key === '' ? {} : { authorization: `Bearer ${values.key}` }),
}
/** Replies by status; 0 for calls without one. @type {Map<number, number>} */
const counts = new Map()

/** @param {string} path @param {unknown} [body] @returns the status and the text of the reply */
async function ask(path, body) {
  const method = body === undefined ? 'GET' : 'POST'
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const asked = fetch(new URL(path, values.url), { method, headers, signal, body: body && JSON.stringify(body) })
  const reply = await asked.catch(() => undefined)
  const status = reply?.status ?? 0
  counts.set(status, (counts.get(status) ?? 0) + 1)
  return { status, text: (await reply?.text().catch(() => '')) ?? '' }
}

/** @param {string} model @param {object} [more] */
const chat = (model, more = {}) =>
  ask('/v1/chat/completions', {
    model,
    messages: [{ role: 'user', content: 'Write one sentence to ada@site.example about the weather.' }],
    max_tokens: 16,
    ...more,
  })

/** Opens a connection through the proxy and closes it again. */
function askProxy() {
  const at = values.proxy.lastIndexOf(':')
  const host = values.proxy.slice(0, at)
  const target = values['proxied-host']
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(values.proxy.slice(at + 1)), timeout: 2000 })
    socket.on('connect', () => socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`))
    for (const event of ['data', 'timeout', 'error']) socket.on(event, () => socket.destroy())
    socket.on('close', resolve)
  })
}

/** @param {number} round */
async function runRound(round) {
  const listed = JSON.parse((await ask('/v1/models')).text || '{}')
  /** @type {string[]} */
  const models = (listed.data ?? []).map((/** @type {{ id: string }} */ { id }) => id)
  /** A model that answers: only these reach the limit of requests at a time. */
  let answering = 'none'
  for (const model of models) {
    for (const stream of [false, true]) if ((await chat(model, { stream })).status === 200) answering = model
  }
  await Promise.all(Array.from({ length: Number(values.burst) }, () => chat(answering, { stream: true })))
  await chat('a-model-that-is-not-there')
  await chat(answering, { messages: 'these are none' })
  await ask('/api/auth/login', { email: 'nobody@site.example', password: 'wrong' })
  await ask('/api/auth/token-login', { token: values.key === '' ? 'wrong' : values.key })
  await ask(`/models/delete/not-there-${round}`, {})
  if (values.proxy !== '') await askProxy()
}

const until = performance.now() + Number(values.seconds) * 1000
for (let round = 1; performance.now() < until || round <= Number(values.rounds); round += 1) {
  await runRound(round)
  await sleep(200)
}
const sorted = [...counts].sort(([one], [other]) => one - other)
console.log(sorted.map(([status, count]) => `${status === 0 ? 'no reply' : status}: ${count}`).join(', '))

// Runs heavy reads of a SQLite file on a thread. It is plain JavaScript, because it starts both from sources and beside
// the bundle, where nothing translates it. `sqlite-reader.ts` is the other side.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'

const require = createRequire(import.meta.url)
const { engine, path, cancelled } = workerData
const Client = require(engine)
// libsql makes the file in spite of the option below, also in a folder that has taken the place of the data folder.
if (!existsSync(path)) throw new Error('the database file is gone')
const client = new Client(path, { readonly: true, fileMustExist: true })
client.pragma('query_only = ON')
client.pragma('busy_timeout = 5000')

/** Number of rows between two checks whether the read is still wanted. */
const CHECK_EVERY = 64

/** Whether the other side has cancelled a read, or all of them. @param {number} id */
function isCancelled(id) {
  const cancelledId = Atomics.load(cancelled, 0)
  return cancelledId === id || cancelledId === -1
}

/** @param {{ id: number, sql: string, params: unknown[], maxRows: number }} request */
function answer({ id, sql, params, maxRows }) {
  const statement = client.prepare(sql)
  const columns = statement.columns().map(({ name }) => name)
  const rows = []
  // a typed array from the other thread is not a Buffer any more
  const bound = params.map((param) => (param instanceof Uint8Array ? Buffer.from(param) : param))
  for (const row of statement.raw().iterate(...bound)) {
    if (rows.length % CHECK_EVERY === 0 && isCancelled(id)) return { id, outcome: 'cancelled' }
    if (rows.length === maxRows) return { id, outcome: 'too-many' }
    rows.push(row)
  }
  return { id, outcome: 'rows', columns, rows }
}

parentPort.on('message', (request) => {
  if (request === 'end') {
    client.close()
    parentPort.close()
    return
  }
  try {
    parentPort.postMessage(answer(request))
  } catch (error) {
    const { message, code } = error
    parentPort.postMessage({ id: request.id, outcome: 'failed', message: String(message), code: String(code ?? '') })
  }
})

/**
 * The inside of an engine's process. An engine computes on the calling thread, cannot be interrupted, and may crash on
 * malformed files. In this process it can, while calls, cancellations and health checks go on. It holds one model and
 * runs one call at a time. Plain JavaScript, because it starts from the sources and from the build alike.
 *
 * @module
 */
import path from 'node:path'
import { Worker } from 'node:worker_threads'

/** @typedef {import('./protocol.ts').EngineRequest} EngineRequest */
/** @typedef {import('./protocol.ts').EngineReply} EngineReply */

/** Must equal `MAX_AHEAD` of the protocol. */
const MAX_AHEAD = 8

/**
 * Ends this process soon after its parent. An engine that computes keeps this thread from seeing that the channel is
 * closed. Systems without new parents for orphans never report a change.
 */
const WATCH = `
  const { ppid } = process
  setInterval(() => {
    if (process.ppid !== ppid) process.kill(process.pid, 'SIGKILL')
  }, 1000)
`

/** An error whose text the caller of the model shall read: its request is at fault. */
export class RequestError extends Error {}

/**
 * Answers the messages of the parent.
 *
 * @param {import('./protocol.ts').EngineWork} work
 */
export function serveEngine(work) {
  // The parent process receives the stop signals and closes the channel when it no longer needs this process.
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => {})
  process.on('disconnect', () => process.exit(0))
  new Worker(WATCH, { eval: true, execArgv: [], env: {} }).unref()

  /** @type {readonly string[]} */
  let folders = []
  let ahead = 0
  /** @type {(() => void) | undefined} */
  let onRoom

  /**
   * @param {unknown} piece
   * @returns {Promise<void>}
   */
  const emit = (piece) => {
    ahead += 1
    reply({ kind: 'piece', piece })
    if (ahead < MAX_AHEAD) return Promise.resolve()
    return new Promise((resolve) => {
      onRoom = resolve
    })
  }

  /**
   * @param {Extract<EngineRequest, { kind: 'load' | 'call' }>} request
   * @returns {Promise<EngineReply>}
   */
  const answer = async (request) => {
    if (request.kind === 'load') {
      folders = listFolders(request.settings)
      return { kind: 'loaded', facts: await work.load(request.settings) }
    }
    ahead = 0
    return { kind: 'done', result: await work.call(request.request, emit) }
  }

  process.on('message', (/** @type {EngineRequest} */ request) => {
    if (request.kind === 'taken') {
      ahead -= request.count
      if (ahead < MAX_AHEAD) onRoom?.()
      return
    }
    answer(request).then(reply, (error) => {
      const message = hideFolders(error instanceof Error ? error.message : String(error), folders)
      reply({ kind: 'failed', message, isRequest: error instanceof RequestError })
    })
  })
}

/**
 * Lists the folders of the paths in the settings of a load.
 *
 * @param {unknown} settings
 * @returns {string[]}
 */
function listFolders(settings) {
  if (typeof settings === 'string') return path.isAbsolute(settings) ? [path.dirname(settings) + path.sep] : []
  return typeof settings === 'object' && settings !== null ? Object.values(settings).flatMap(listFolders) : []
}

/**
 * Leaves the folders out of a message, which a client may read.
 *
 * @param {string} message
 * @param {readonly string[]} folders
 * @returns {string}
 */
function hideFolders(message, folders) {
  const known = folders.reduce((text, folder) => text.replaceAll(folder, ''), message)
  return known.replace(/(?:\/[^\s/'"]+)+\//g, '')
}

/** @param {EngineReply} message */
function reply(message) {
  process.send?.(message)
}

/**
 * Opens the package of an engine, which is installed only on platforms that have a build of it.
 *
 * @template Package
 * @param {string} name
 * @param {() => Promise<Package>} open
 * @returns {Promise<Package>}
 */
export async function openPackage(name, open) {
  try {
    return await open()
  } catch (error) {
    const [reason = ''] = String(error instanceof Error ? error.message : error).split('\n')
    throw new Error(`${name} cannot be used here: ${reason}`)
  }
}

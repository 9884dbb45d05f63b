// Prints the source files that one request runs, from the coverage of V8: `pnpm walk chat`. A first request has loaded
// all modules, so that only functions of the request itself count. `--write` puts the numbers of all walks into
// ARCHITECTURE.md.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const PAGE = join(root, 'ARCHITECTURE.md')
const KEY = 'walk-key'
const DETECTOR = 'name: emails\nbackend: pattern\npii_detection:\n  builtins: [email]\n  default_action: mask\n'
const SOURCES = /^(?:apps\/server|packages\/[^/]+)\/src\//

/** @param {boolean} stream @param {string} [model] */
const chat =
  (stream, model = 'demo') =>
  (/** @type {string} */ url) =>
    send(`${url}/v1/chat/completions`, {
      model,
      messages: [{ role: 'user', content: 'Write to ann@example.org.' }],
      stream,
      max_tokens: 8,
    })

/**
 * The walks: a request, and its name.
 *
 * @type {Record<string, { readonly about: string, readonly request: (url: string) => Promise<void> }>}
 */
const WALKS = {
  chat: { about: 'a streamed chat', request: chat(true) },
  'whole-chat': { about: 'a chat in one reply', request: chat(false) },
  'masked-chat': { about: 'a streamed chat whose private text is masked', request: chat(true, 'masked') },
  models: { about: 'the list of models', request: (url) => send(`${url}/v1/models`) },
}

const HEADERS = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }

/** @param {string} url @param {unknown} [body] */
async function send(url, body) {
  const reply = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: HEADERS,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  if (reply.status !== 200) throw new Error(`${url} answered ${reply.status}: ${text}`)
}

/**
 * Changes a model on a connection of its own. Routes with a parameter leave their connection to Node, which would then
 * read the watched requests too.
 *
 * @param {'POST' | 'PATCH'} method @param {string} url @param {unknown} body
 */
async function change(method, url, body) {
  const changing = request(url, { agent: false, method, headers: HEADERS })
  changing.end(JSON.stringify(body))
  const [reply] = await once(changing, 'response')
  reply.resume()
  if (reply.statusCode !== 200) throw new Error(`${url} answered ${reply.statusCode}`)
}

/** @param {string} folder */
async function startServer(folder) {
  for (const name of ['models', 'data', 'config', 'backends', 'coverage']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'models/emails.yaml'), DETECTOR)
  const server = spawn(
    process.execPath,
    [
      ...['--conditions=@svc/source', '--import', 'tsx', '--import', join(root, 'scripts/walk-probe.mjs')],
      ...[join(root, 'apps/server/src/main.ts'), 'run', '--address', '127.0.0.1:0', '--log-format', 'json'],
      ...['--api-keys', KEY, '--models-path', join(folder, 'models'), '--data-path', join(folder, 'data')],
      ...['--config-dir', join(folder, 'config'), '--backends-path', join(folder, 'backends')],
    ],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, SVC_DEMO_MODEL: 'true', NODE_V8_COVERAGE: join(folder, 'coverage') },
    },
  )
  const url = await new Promise((resolve, reject) => {
    let log = ''
    server.stdout.on('data', (chunk) => {
      log += chunk
      const address = /"url":"([^"]+)"/.exec(log)?.[1]
      if (address !== undefined) resolve(address)
    })
    server.once('exit', () => reject(new Error(`the server has ended: ${log}`)))
  })
  return { server, url }
}

/**
 * Takes the coverage since the last call.
 *
 * @param {import('node:child_process').ChildProcess} server @param {string} folder
 */
async function takeCoverage(server, folder) {
  const before = new Set(readdirSync(folder))
  server.kill('SIGUSR2')
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    const file = readdirSync(folder).find((name) => !before.has(name))
    if (file === undefined) continue
    try {
      return JSON.parse(readFileSync(join(folder, file), 'utf8'))
    } catch {
      // not written to its end
    }
  }
}

/**
 * The source files of which a function has run, by the number of such functions.
 *
 * @param {{ result: readonly { url: string, functions: readonly { functionName: string, ranges: readonly { count: number }[] }[] }[] }} coverage
 */
function listFiles({ result }) {
  return result
    .filter(({ url }) => url.startsWith('file://'))
    .map(({ url, functions }) => ({
      file: relative(root, fileURLToPath(url)),
      functions: functions.filter(({ ranges: [whole] }) => (whole?.count ?? 0) > 0).length,
    }))
    .filter(({ file, functions }) => SOURCES.test(file) && functions > 0)
    .sort((one, other) => one.file.localeCompare(other.file))
}

/**
 * Counts the files that the page names for a chat.
 *
 * @param {string} page @param {ReturnType<typeof listFiles>} run the files of the chat
 */
function countNamed(page, run) {
  const [, section = ''] = page.split('### One chat, file by file')
  const [steps = ''] = section.split('`pnpm walk chat`')
  const names = Array.from(steps.matchAll(/`([\w/-]+\.ts)`/g), ([, name = '']) => name)
  for (const name of names) {
    if (!run.some(({ file }) => file.endsWith(`/${name}`))) throw new Error(`a chat does not run ${name}`)
  }
  return names.length
}

/** @param {readonly string[]} names */
async function walk(names) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-walk-'))
  const { server, url } = await startServer(folder)
  try {
    /** @type {Record<string, ReturnType<typeof listFiles>>} */
    const found = {}
    await change('POST', `${url}/api/models/copy/demo`, { name: 'masked' })
    await change('PATCH', `${url}/api/models/config-json/masked`, { pii: { enabled: true, detectors: ['emails'] } })
    for (const name of names) {
      const { request } = WALKS[name]
      for (let warm = 0; warm < 3; warm += 1) await request(url)
      await takeCoverage(server, join(folder, 'coverage'))
      await request(url)
      found[name] = listFiles(await takeCoverage(server, join(folder, 'coverage')))
    }
    return found
  } finally {
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean' } } })
const unknown = positionals.find((name) => WALKS[name] === undefined)
if (unknown !== undefined) throw new Error(`no walk ${unknown}: ${Object.keys(WALKS).join(', ')}`)
const found = await walk(values.write === true || positionals.length === 0 ? Object.keys(WALKS) : positionals)
for (const [name, files] of Object.entries(found)) {
  for (const { file, functions } of positionals.includes(name) ? files : [])
    console.log(`${String(functions).padStart(4)}  ${file}`)
  const functions = files.reduce((sum, file) => sum + file.functions, 0)
  console.log(`${name}: ${functions} functions in ${files.length} files`)
}
if (values.write === true) {
  const rows = Object.entries(found).map(([name, files]) => [WALKS[name].about, String(files.length)])
  const width = Math.max(...rows.map(([about = '']) => about.length))
  const table = [['Request', 'Files'], ['-'.repeat(width), '-----'], ...rows]
    .map(([about = '', count = '']) => `| ${about.padEnd(width)} | ${count.padEnd(5)} |`)
    .join('\n')
  const page = readFileSync(PAGE, 'utf8')
  const text = `\n${table}\n\nThe steps above name ${countNamed(page, found.chat)} files to read.\n\n`
  writeFileSync(PAGE, page.replace(/(?<=<!-- walk -->\n)[\s\S]*?(?=<!-- \/walk -->)/, text))
}

// `npm start` as a user types it: on a free port it becomes ready, answers one chat, and SIGTERM to npm ends it with code 0.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = mkdtempSync(join(tmpdir(), 'svc-smoke-'))
const port = await new Promise((resolve, reject) => {
  const probe = createServer().on('error', reject)
  probe.listen(0, '127.0.0.1', () => {
    const { port } = probe.address()
    probe.close(() => resolve(port))
  })
})
const base = `http://127.0.0.1:${port}`
const flags = [
  '--address',
  `127.0.0.1:${port}`,
  ...['models', 'data', 'config', 'backends'].flatMap((name) => [
    name === 'config' ? '--config-dir' : `--${name}-path`,
    join(folder, name),
  ]),
]
const child = spawn('npm', ['start', '--', ...flags], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
const exited = new Promise((resolve) => child.on('exit', (code, signal) => resolve({ code, signal })))
let ended = false
void exited.then(() => {
  ended = true
})

async function until(check, seconds, what) {
  const end = Date.now() + seconds * 1000
  while (Date.now() < end && !ended) {
    if (await check().catch(() => false)) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`${what}: not within ${seconds} s`)
}

try {
  await until(async () => (await fetch(`${base}/readyz`)).status === 200, 300, 'ready')
  const reply = await fetch(`${base}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'demo',
      messages: [{ role: 'user', content: 'Hello!' }],
      temperature: 0,
      max_tokens: 40,
    }),
  })
  const body = await reply.json()
  const text = body.choices?.[0]?.message?.content
  if (reply.status !== 200 || !text) throw new Error(`chat answered ${reply.status} ${JSON.stringify(body)}`)
  console.log(`demo says: ${text}`)
  child.kill('SIGTERM')
  const end = await exited
  if (end.code !== 0) throw new Error(`npm start ended with ${JSON.stringify(end)} after SIGTERM`)
  console.log('npm start ended with code 0')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  if (!ended) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}

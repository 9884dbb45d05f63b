// Processes of the cluster that `pnpm cluster` starts, and the address that leads to its front ends.
import { spawn } from 'node:child_process'
import { createWriteStream, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ENTRY = join(dirname(dirname(fileURLToPath(import.meta.url))), 'apps/server/dist/main.js')

/**
 * Starts `svc` in a folder of its own; its output is in `<name>.log`.
 *
 * @param place `folder` of the cluster and `name` of the process
 */
export function startProcess({ folder, name }, argv, env) {
  const home = join(folder, name)
  mkdirSync(home, { recursive: true })
  const log = createWriteStream(join(folder, `${name}.log`))
  const { PATH = '', LD_LIBRARY_PATH } = process.env
  const child = spawn(process.execPath, [ENTRY, ...argv, '--log-format=json'], {
    cwd: home,
    env: { PATH, ...(LD_LIBRARY_PATH && { LD_LIBRARY_PATH }), HOME: home, LANG: 'C.UTF-8', TMPDIR: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.pipe(log, { end: false })
  child.stderr.pipe(log, { end: false })
  let text = ''
  child.stderr.setEncoding('utf8').on('data', (part) => {
    text = (text + part).slice(-2000)
  })
  const started = { name, child, isRunning: true, lastWords: () => text, ended: undefined }
  started.ended = new Promise((resolve) => {
    child.once('error', resolve)
    child.once('close', (code, signal) => resolve(signal ?? `code ${code}`))
  }).then((how) => {
    started.isRunning = false
    log.end()
    return how
  })
  return started
}

/** Resolves when a process has written a message to its log; rejects when it ends before or time is up. */
export function waitForMessage(started, message, seconds) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail(`did not say "${message}" within ${seconds} s`), seconds * 1000)
    const fail = (what) => reject(new Error(`${started.name} ${what}\n${started.lastWords()}`.trim()))
    let rest = ''
    started.child.stdout.on('data', (part) => {
      rest = (rest + part).slice(-10_000)
      if (!rest.includes(`"msg":"${message}"`)) return
      clearTimeout(timer)
      resolve()
    })
    void started.ended.then((how) => {
      clearTimeout(timer)
      fail(`ended with ${how}`)
    })
  })
}

/** Ends processes; those that are not done in time are killed. */
export async function endProcesses(processes, signal, seconds) {
  const timer = setTimeout(() => {
    for (const { child } of processes) child.kill('SIGKILL')
  }, seconds * 1000)
  for (const { child } of processes) child.kill(signal)
  await Promise.all(processes.map(({ ended }) => ended))
  clearTimeout(timer)
}

/** Kills what ended processes have left behind; only Linux shows it. */
export function killOrphans(folder) {
  let pids = []
  try {
    pids = readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && isInFolder(pid, folder))
  } catch {
    return
  }
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // it has ended meanwhile
    }
  }
}

function isInFolder(pid, folder) {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0TMPDIR=${folder}\0`)
  } catch {
    return false
  }
}

/** Listens on a port and gives each connection to the next of several servers that takes it. */
export function openBalancer(port, targets) {
  let turn = 0
  const server = createServer((client) => {
    turn += 1
    client.on('error', () => client.destroy())
    pass(
      client,
      targets.map((_, index) => targets[(turn + index) % targets.length]),
    )
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

function pass(client, [target, ...others]) {
  if (target === undefined || client.destroyed) return client.destroy()
  const server = connect(target, '127.0.0.1')
  server.once('connect', () => {
    server.off('error', next)
    server.on('error', () => client.destroy())
    client.on('close', () => server.destroy())
    server.on('close', () => client.destroy())
    client.pipe(server).pipe(client)
  })
  const next = () => pass(client, others)
  server.once('error', next)
}

// Runs before a program (`--import`) and writes everything that leaves it into the file WATCHED_CALLS: connections, names
// that are looked up, UDP sockets and programs, one JSON line each.
import childProcess from 'node:child_process'
import dgram from 'node:dgram'
import dns from 'node:dns'
import { appendFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

const file = process.env.WATCHED_CALLS ?? ''

/** @param {string} kind @param {unknown} target */
const note = (kind, target) => appendFileSync(file, `${JSON.stringify({ kind, target })}\n`)

/** @param {object} owner @param {string} name @param {(args: any[]) => void} before */
function watch(owner, name, before) {
  const original = owner[name]
  owner[name] = function (...args) {
    before(args)
    return original.apply(this, args)
  }
}

watch(net.Socket.prototype, 'connect', ([first, second]) => {
  const options = Array.isArray(first) ? first[0] : first
  if (typeof options === 'number')
    note('connect', { host: typeof second === 'string' ? second : 'localhost', port: options })
  else if (typeof options === 'string') note('connect', { path: options })
  else note('connect', { host: options.host, port: options.port, path: options.path })
})
for (const owner of [dns, dns.promises])
  for (const name of Object.keys(owner))
    if (/^(lookup|resolve|reverse)/.test(name)) watch(owner, name, ([host]) => note('name', host))
watch(dgram, 'createSocket', () => note('udp', ''))
for (const name of ['spawn', 'spawnSync', 'exec', 'execFile', 'execFileSync', 'execSync', 'fork'])
  watch(childProcess, name, ([command]) => note('program', command))
syncBuiltinESMExports()
note('begin', process.pid)

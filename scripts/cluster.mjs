// `pnpm cluster`: PostgreSQL, nats-server, front ends and workers on the loopback interface, for trying. The cluster is
// a process group of its own, so that Ctrl-C reaches only this process and the parts end in their order.
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = dirname(fileURLToPath(import.meta.url))
const argv = ['--conditions=@svc/source', '--import', 'tsx', join(folder, 'cluster-run.mjs'), ...process.argv.slice(2)]
const env = { ...process.env, TSX_DISABLE_CACHE: '1' }
const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'], detached: true })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.connected && child.send('end'))
child.on('error', (error) => {
  console.error(error.message)
  process.exitCode = 1
})
child.on('exit', (code, signal) => {
  if (signal !== null) console.error(`the cluster ended with ${signal}`)
  process.exit(code ?? 1)
})

import { spawn } from 'node:child_process'

// A host that starts a backend and does nothing else. Its third pipe is the backend's to hold.
const [command = '', ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit', 3] })
child.stdout?.pipe(process.stdout)
process.stdin.resume()

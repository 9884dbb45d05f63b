import { spawn } from 'node:child_process'

// A host that only starts a backend. The backend holds its third pipe.
const [command = '', ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit', 3] })
child.stdout?.pipe(process.stdout)
process.stdin.resume()
